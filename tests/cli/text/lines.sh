# A vmlinux has the lines of functions that are known by name and size
mkelf "$SM_SRC/tests/cli/lines/vmlinux.txt" vmlinux
smtool symbolize --json --vmlinux vmlinux --kaslr none do_open | sed -n 's/.*"size": \([0-9]*\).*/\1/p' >size
size=$(cat size)
printf ' do_open+0x9/0x%x\n do_open+0x9/0x%x\n mystery+0x1/0x2\nnr_base_pages: 1\n\n' "$size" $((size + 1)) >named.txt
smtool top -q --vmlinux vmlinux named.txt
smtool dump -q --json --vmlinux vmlinux named.txt | grep -o '"lines":\[[^]]*\]'
