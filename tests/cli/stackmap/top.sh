smtool top --by bytes -n 2 data/stackmap/plain.tar.zst
