smtool symbolize --kallsyms data/map.kallsyms
smtool symbolize --kallsyms data/map.kallsyms --json
