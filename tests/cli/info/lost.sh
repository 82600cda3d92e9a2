smtool info lost | grep ^loss
smtool info --json lost | grep -A 3 '"loss"'
