smtool symbolize --kallsyms data/map.kallsyms 0x12
smtool symbolize --kallsyms data/map.kallsyms 0x12 0x13
