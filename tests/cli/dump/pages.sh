# No map: the distinct stacks of the events, numbered as they come.
rm stack-ids/sys/kernel/tracing/stack_map_bin
smtool dump -v -f folded stack-ids
smtool dump --json stack-ids | head -n 1
