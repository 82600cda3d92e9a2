# As in the file, which has no slide of its own.
smtool symbolize --vmlinux elf/vmlinux kmem_cache_alloc+0x14 do_open+0x9
smtool symbolize --vmlinux elf/vmlinux --return do_open+0x9 after+0x0
smtool symbolize --vmlinux elf/vmlinux --no-inlines kmem_cache_alloc+0x14
smtool symbolize --vmlinux elf/vmlinux --kaslr 0x200000 -f jsonl kmem_cache_alloc+0x14
