smtool symbolize --kallsyms data/map.kallsyms schedule 12-13
