smtool diff old twice | grep note
smtool diff --normalize old twice
smtool diff --normalize -g module -f csv old new
smtool diff --normalize map map2
echo $?
smtool diff --normalize --by peak_bytes old new
echo $?
smtool diff --normalize old nothing
