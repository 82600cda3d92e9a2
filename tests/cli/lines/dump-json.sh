smtool dump -q --vmlinux elf/vmlinux -f jsonl --id 1 lines
smtool dump -q --vmlinux elf/vmlinux -f jsonl --id 1 --no-inlines lines
