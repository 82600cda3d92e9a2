# The kernel's own text; what --return changes are the lines, which need debug information.
smtool symbolize --return --kallsyms data/map.kallsyms ffffffff81201c30 ffffffff81201c1c
