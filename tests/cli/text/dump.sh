for file in page_owner show_stacks sorted allocinfo; do
	echo "== $file"
	smtool dump $file.txt
done
smtool dump --id 1 -f json show_stacks.txt
smtool dump --id 1 -f csv page_owner.txt
smtool dump -f csv allocinfo.txt
smtool dump -f folded sorted.txt
