smtool dump -q --vmlinux elf/vmlinux lines
