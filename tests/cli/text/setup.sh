cp "$SM_SRC"/tests/cli/text/*.txt .
# The kernel has a blank behind each.
sed 's/^ .*/& /' "$SM_SRC/tests/cli/text/allocinfo.txt" >allocinfo.txt
