smtool diff -f csv old new
