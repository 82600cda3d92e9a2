smtool diff -n 1 old new | tail -n 5
smtool diff -n 0 --fdr 1 old new | tail -n 5
smtool diff --fdr 0 old new
