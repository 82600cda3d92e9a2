# Nothing was lost or reset: what the map counted is what the events say, stack by stack.
smtool top --event '*' --by count --no-skip -n 0 -f csv data/stackmap/plain.tar.zst | awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
	{
		rows++
		sum += $column["count"]
		if ($column["count"] != $column["ref_count"])
			print "row " $1 ": " $column["count"] " events, ref_count " $column["ref_count"]
	}
	END { print rows " stacks, " sum " events" }'
