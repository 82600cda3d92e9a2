# The map had room for 1024 stacks of 1500: the others are full stacks beside the ids.
smtool check data/stackmap/full.tar.zst
smtool top --event '*' --by count -g event data/stackmap/full.tar.zst
smtool top --by ref_count -n 1 -g function data/stackmap/full.tar.zst
