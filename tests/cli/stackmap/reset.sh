# A reset during the capture: ids of before that the map doesn't have.
smtool check data/stackmap/reset.tar.zst
smtool top --by count --event kmalloc -n 0 -f csv data/stackmap/reset.tar.zst | cut -d, -f1,2,5 | grep unresolved
