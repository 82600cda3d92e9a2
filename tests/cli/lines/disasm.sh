smtool symbolize --vmlinux elf/vmlinux --return --disasm -B 2 -A 2 do_open+0x9
smtool symbolize --vmlinux elf/vmlinux --disasm -B 0 -A 1 --json do_open
