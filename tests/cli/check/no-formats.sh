# The pages can't be read, the map can.
rm -r stack-ids/sys/kernel/tracing/events
smtool check stack-ids
