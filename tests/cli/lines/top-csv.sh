smtool top --vmlinux elf/vmlinux -f csv lines | sed 's/.*,//'
