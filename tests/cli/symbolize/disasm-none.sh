# Without a file there is no code.
smtool symbolize --disasm --kallsyms data/map.kallsyms schedule
smtool symbolize --disasm --kallsyms data/map.kallsyms --json schedule | grep -A 3 disasm
