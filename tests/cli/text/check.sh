for file in page_owner page_owner-4.3 show_stacks stack_count sorted allocinfo; do
	smtool check $file.txt || echo "status $?"
done
sed 's/^ get_page.*/&\nA line of Linux 9/' show_stacks.txt >new.txt
smtool check new.txt
smtool top -f csv -n 1 new.txt | cut -d , -f 2,5-
