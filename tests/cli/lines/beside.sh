# A vmlinux that lies in the capture's directory is found; the index is used from the second time on.
cp elf/vmlinux lines
smtool symbolize -i lines do_open+0x9 | sed 1d
smtool symbolize --build-index elf/vmlinux | sed 's/.*cache/cache/'
smtool info lines | grep -A 4 '^vmlinux'
smtool symbolize -i lines do_open+0x9 | sed 1d
