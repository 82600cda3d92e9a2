# The same without kallsyms: names, lines and keys.
mv lines/proc/kallsyms .
smtool top --vmlinux elf/vmlinux --kaslr 0x200000 --json lines >with
cp kallsyms lines/proc
smtool top --vmlinux elf/vmlinux --json lines | cmp - with && echo same
