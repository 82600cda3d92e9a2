smtool symbolize -o out --kallsyms data/map.kallsyms schedule 12-13
test -e out || echo 'no file after an error'
smtool symbolize -o out --kallsyms data/map.kallsyms schedule && cat out
