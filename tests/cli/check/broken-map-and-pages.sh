# A map that is none doesn't keep the pages from being looked at.
head -c 12 stack-ids/sys/kernel/tracing/stack_map_bin >map
mv map stack-ids/sys/kernel/tracing/stack_map_bin
smtool check stack-ids
