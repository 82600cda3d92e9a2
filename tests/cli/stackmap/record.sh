# What `smtool record` saved in a virtual machine with the series, read here: sound, and each stack's
# references are its events.
smtool check data/stackmap/record.tar.zst
smtool info --json data/stackmap/record.tar.zst | grep -o '"generation": *"[^"]*"'
smtool top --event '*' --by count --no-skip -n 0 -f csv data/stackmap/record.tar.zst | awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
	{ rows++; sum += $c["count"]; refs += $c["ref_count"] }
	$c["count"] != $c["ref_count"] { differ++ }
	END { print rows " stacks, " sum " events, " refs " references, " differ + 0 " differ" }'
