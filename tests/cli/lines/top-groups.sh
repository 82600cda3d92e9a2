smtool top --vmlinux elf/vmlinux -g caller lines
smtool top --vmlinux elf/vmlinux -g function lines
