smtool export -f speedscope new
smtool export -f speedscope --by count --vmlinux elf/vmlinux lines
