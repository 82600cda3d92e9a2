smtool diff -n 0 --all lost le64 | tail -n 2
