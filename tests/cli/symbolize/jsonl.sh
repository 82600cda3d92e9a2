smtool symbolize -q --kallsyms data/map.kallsyms -f jsonl ffffffff81200048 nobody 0x12
