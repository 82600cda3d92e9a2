smtool diff -g function old new
smtool diff -g caller -n 2 old new
smtool diff -g module old new
smtool diff -g size -n 3 old new
smtool diff -g cache -f csv old new
