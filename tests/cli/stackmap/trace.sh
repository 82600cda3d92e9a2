# The kernel's own text of the same buffer: how often each id is in it, and how many full stacks.
for name in plain full reset mixed; do
	gzip -dc data/stackmap/$name.trace.gz >text
	sed -n 's/.*<stack_id \([0-9]*\)>$/\1/p' text | sort | uniq -c | awk '{ print $2, $1 }' | sort >wanted
	smtool top --event '*' --by count --no-skip -n 0 -f csv data/stackmap/$name.tar.zst >rows || exit
	# An id that a reset made unknown has no row of its own.
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		$c["stack_ids"] != "" { print $c["stack_ids"], $c["count"] }' rows | sort >got
	awk -F, -v ids="$(awk '{ s += $2 } END { print s + 0 }' wanted)" -v full="$(grep -c '<stack trace>' text)" '
		NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
		{ sum += $c["count"] }
		END { print (sum == ids + full ? "" : "NOT ") "all of " ids " ids, " full " full stacks" }' rows
	echo "$name: $(comm -12 wanted got | wc -l) ids of $(wc -l <wanted) as often, $(comm -13 wanted got | wc -l) otherwise"
done
