smtool top -n 2 data/dat/v6.dat
smtool top -n 2 --instance pages data/dat/v7-buffers.dat
# The same from a pipe
smtool top --json data/dat/v7-zstd.dat >file
dd if=data/dat/v7-zstd.dat bs=1000 2>/dev/null | smtool top --json - | cmp - file
