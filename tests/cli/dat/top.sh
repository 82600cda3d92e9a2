smtool top -n 2 data/dat/v6.dat
smtool top -n 2 --instance pages data/dat/v7-buffers.dat
# The same from a pipe
smtool top --json data/dat/v7-zstd.dat >file
cat data/dat/v7-zstd.dat | smtool top --json - | cmp - file
