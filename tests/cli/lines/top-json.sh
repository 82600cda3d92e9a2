smtool top --vmlinux elf/vmlinux --json -n 1 lines | sed -n '/"frames"/,$p'
