smtool top --vmlinux elf/vmlinux lines
smtool top --vmlinux elf/vmlinux --no-inlines -n 1 lines
