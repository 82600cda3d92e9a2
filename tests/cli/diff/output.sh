smtool diff -o out.txt old new
wc -l <out.txt | awk '{ print ($1 > 10) }'
smtool diff old new >/dev/full
