for group in function caller module comm pid event gfp order size; do
	smtool top -f csv --group-by $group page_owner.txt | cut -d , -f 2,5-
done
smtool top -g caller allocinfo.txt
smtool top -f csv -g module allocinfo.txt
smtool top -f csv -g function -n 1 show_stacks.txt
