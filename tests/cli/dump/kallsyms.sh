smtool dump --kallsyms stack-ids/proc/kallsyms --id 5 stack-ids/sys/kernel/tracing/stack_map_bin
