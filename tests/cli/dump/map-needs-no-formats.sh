# A map is read whatever the pages beside it lack.
rm -r stack-ids/sys/kernel/tracing/events
smtool dump --id 5 stack-ids
