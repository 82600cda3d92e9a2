smtool diff t1 t2 t3 t4 t5 t6 t7 t8
smtool diff --all -g caller t1 t2 t3 t4 t5 t6 t7 t8 | sed -n '/first/,/^$/p'
# Too few; ASCII; not in order, and per step.
LC_ALL=C smtool diff -g caller t1 t2 t3
LC_ALL=C smtool diff -g caller t2 t1 t3 t4 t5 t6 t7 t8 | sed -n '/first/,/^note/p'
