smtool symbolize --vmlinux nowhere 0x12
