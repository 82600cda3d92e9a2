# With it the text is what it is without the vmlinux.
smtool dump -q --vmlinux elf/vmlinux --no-inlines lines >with
smtool dump -q lines | cmp - with && head -n 3 with
