smtool top --vmlinux elf/other lines
