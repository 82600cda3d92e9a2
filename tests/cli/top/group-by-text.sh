smtool top -g function -n 3 le64
smtool top -g comm le64
