tar -cf whole.tar -C le64 sys/kernel/tracing/events proc
head -c 30000 whole.tar >cut.tar
smtool check cut.tar
