smtool check --vmlinux elf/vmlinux lines
smtool check --vmlinux elf/other lines
