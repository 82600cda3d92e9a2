# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154 # `run` sets them
#
# A page_owner of a machine with much memory. The peer is the kernel's own page_owner_sort where it is
# installed, else a reader that does no more than look at each line.

: "${BENCH_BLOCKS:=500000}"

# A thousand stacks, as deep as the kernel keeps them, in the order of page frame numbers.
made_page_owner()
{
	awk -v n="$BENCH_BLOCKS" 'BEGIN {
		srand(1)
		for (s = 0; s < 1000; s++) {
			text = " post_alloc_hook+0xc1/0x1a0\n get_page_from_freelist+0x58d/0x14e0\n"
			for (d = 2; d < 16; d++)
				text = text sprintf(" caller_%d_%d+0x%x/0x800 [mod%d]\n", d, \
					int(rand() * 20 * d), 16 * d, d % 3)
			stack[s] = text
		}
		for (i = 0; i < n; i++) {
			pid = int(rand() * 400) + 1
			printf "Page allocated via order %d, mask 0x140dca(GFP_HIGHUSER_MOVABLE|" \
				"__GFP_ZERO|__GFP_COMP), pid %d, tgid %d (task-%d), ts %d00 ns\n" \
				"PFN 0x%x type Movable Block %d type Movable Flags 0x0()\n%s\n", \
				i % 4 ? 0 : 2, pid, pid, pid % 50, int(rand() * 2e9), \
				i * 4, i / 128, stack[int(rand() * 1000)]
		}
	}'
}

part_text()
{
	made_page_owner >"$tmp/page_owner"
	bytes=$(bytes_of "$tmp/page_owner")
	echo "text: $BENCH_BLOCKS blocks, $((bytes / 1000000)) MB; $(load)"
	peer='grep -c' ignored=/dev/null
	set -- grep -c '^PFN' "$tmp/page_owner"
	if have page_owner_sort; then
		peer=page_owner_sort ignored=$tmp/sorted
		set -- page_owner_sort -m "$tmp/page_owner" "$ignored"
	fi
	stopwatch 3 smtool top -q -n 10 "$tmp/page_owner" : \
		smtool top -q -g comm "$tmp/page_owner" : "$@" >"$times" || return 1
	row 'top of a page_owner' "$(mbs "$bytes" "$(min_of 1)")" \
		"$peer $(mbs "$bytes" "$(min_of 3)")" \
		"$(calc "$(min_of 1) / $(min_of 3)" '%.2f') x" '' ''
	row '  by task' "$(mbs "$bytes" "$(min_of 2)")" '' '' '' ''
	row '  peak memory' "$(calc "$(rss_of 1) / 1024" '%.0f') MiB" \
		"$peer $(calc "$(rss_of 3) / 1024" '%.0f') MiB" \
		"$(calc "$(rss_of 1) * 1024 / $BENCH_BLOCKS") bytes a block" '' ''
	rm -f "$tmp/page_owner" "$tmp/sorted"
}
