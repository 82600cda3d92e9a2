# A line of some megabytes, with mentions wherever it could be cut.
awk 'BEGIN { for (i = 0; i < 150000; i++) printf "0xffffffff81200048 0xffffffff81201c1c "; print "" }' >text
smtool symbolize --filter --kallsyms data/map.kallsyms <text >out
wc -c <text
wc -c <out
sed 's/ (schedule[a-z_]*+0x[0-9a-f]*\/0x[0-9a-f]*)//g' out | cmp - text
