# What it doesn't know goes through as it is: CRLF, escapes, NUL, no line end.
printf 'a\r\n\033[1m\200\0\n0xffffffff81200048\r\n\n x' >text
smtool symbolize --filter --kallsyms data/map.kallsyms <text >out
sed 's/ (schedule+0x48\/0xc0)//' out | cmp - text && wc -c <out
