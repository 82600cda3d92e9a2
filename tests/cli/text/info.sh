for file in page_owner page_owner-4.3 show_stacks stack_count sorted allocinfo; do
	smtool info $file.txt
done
smtool info --json show_stacks.txt | sed -n '/"text"/,$p'
smtool info --json allocinfo.txt | sed -n '/"text"/,$p'
