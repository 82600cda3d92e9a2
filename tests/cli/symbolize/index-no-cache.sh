smtool symbolize --build-index --no-cache vmlinux
