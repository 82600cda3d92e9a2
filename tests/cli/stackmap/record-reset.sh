# Somebody reset the map while `smtool record` was at work, which knows it.
smtool check data/stackmap/record-reset.tar.zst
smtool info --json data/stackmap/record-reset.tar.zst | grep -o '"generation": *"[^"]*"'
smtool top -n 1 -g event data/stackmap/record-reset.tar.zst | grep -o 'map reset[^;]*'
