# The whole is the same with its parts and without them.
smtool timeline --total -f csv data/demo.tar.zst >whole
smtool timeline -n 3 -f csv data/demo.tar.zst | cut -d , -f 1-10 | cmp - whole
wc -l <whole
smtool timeline --total --points 2 --json data/demo.tar.zst | grep series
