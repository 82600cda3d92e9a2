# Told on standard error, and no failure.
smtool symbolize --kallsyms data/map.kallsyms 0x12 nobody schedule+0x48/0xc4 schedule
echo $?
smtool symbolize -q --kallsyms data/map.kallsyms 0x12
