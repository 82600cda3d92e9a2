# Stacks deeper than 64 stay full stacks; none of them is in the map.
smtool dump data/stackmap/mixed.tar.zst | sed -n 's/^stack_id .*depth \([0-9]*\)\]/\1/p' | sort -n | tail -n 1
smtool top --event kmalloc --by count --no-skip -n 0 -f csv data/stackmap/mixed.tar.zst | awk -F, '
	NR > 1 { n = gsub(/;/, ";", $NF) + 1; if (n > 64) { deep++; if ($4 != "") print "an id: " $0 } }
	END { print deep " stacks deeper than 64" }'
