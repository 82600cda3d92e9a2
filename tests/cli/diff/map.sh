# Maps alone: other ids and another boot; and bare ones, whose names an option brings.
smtool diff map map2
smtool diff map.bin map3.bin
smtool diff --kallsyms map/proc/kallsyms map.bin - <map3.bin
