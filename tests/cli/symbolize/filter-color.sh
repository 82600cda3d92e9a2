echo 0xffffffff81200048 | smtool symbolize --color=always --filter --kallsyms data/map.kallsyms | od -c
