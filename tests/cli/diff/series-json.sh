smtool diff -q --json -n 1 t1 t2 t3 t4 t5 t6 t7 t8 | sed -n '/"totals"/,$p'
smtool diff -f csv t1 t2 t3 t4 t5 t6 t7 t8
