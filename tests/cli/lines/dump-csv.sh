smtool dump -q --vmlinux elf/vmlinux -f csv lines
