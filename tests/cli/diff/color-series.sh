smtool diff --color=always -g caller t1 t2 t3 t4 t5 t6 t7 t8 | sed -n '/first/,/^$/p'
