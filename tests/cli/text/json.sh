smtool top --json -n 1 --comm tar page_owner.txt
smtool top --json -n 1 allocinfo.txt
