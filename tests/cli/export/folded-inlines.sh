smtool export -f folded --vmlinux elf/vmlinux lines
smtool export -f folded --annotate --vmlinux elf/vmlinux lines
smtool export -f folded --annotate --no-inlines --vmlinux elf/vmlinux lines
smtool export -f folded --no-symbols lines
