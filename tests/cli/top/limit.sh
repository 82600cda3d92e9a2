smtool top -n 1 le64
smtool top --limit 0 -f csv le64 | wc -l
