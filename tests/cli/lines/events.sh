smtool dump --events --vmlinux elf/vmlinux lines
smtool dump --events --vmlinux elf/vmlinux -f csv lines | cut -d , -f 9-
smtool dump --events --vmlinux elf/vmlinux -f jsonl --no-inlines lines | grep -c '"lines":\[{'
