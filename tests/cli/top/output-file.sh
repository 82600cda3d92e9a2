smtool top -n 1 -f csv -o out le64
cat out
smtool top -o no/such/directory le64
