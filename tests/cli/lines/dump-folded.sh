smtool dump -q --vmlinux elf/vmlinux -f folded lines
smtool dump -q --vmlinux elf/vmlinux -f folded --no-inlines lines
