# Another build: exactly nothing is the same, by functions all is.
smtool diff -n 1 old old-build
smtool diff --match function old old-build
smtool diff --match function -f csv -n 3 old new-build
smtool diff --match function -g caller -n 3 old new-build
smtool diff --match function -g function -n 3 old new-build
