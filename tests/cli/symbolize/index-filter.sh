smtool symbolize --build-index --filter vmlinux
