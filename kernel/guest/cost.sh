#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What a stack costs, in instructions: QEMU counts one as one nanosecond. The same allocation is
# recorded without a stack, with the full stack, and with its number. Not part of "all".
# series: experiment
# cpus: 1
# qemu: -icount shift=0,sleep=off
# timeout: 600
. /guest/functions

# Nanoseconds from event to event, ends of pages and timer ticks included. The trace has microseconds.
mean() {
	sed -n 's/.* \([0-9]*\.[0-9]*\): kmalloc: .*/\1/p' trace | awk '{ gsub(/\./, "")
		if (NR == 1) first = $1; last = $1 } END { printf "%.1f\n", 1000 * (last - first) / (NR - 1) }'
}

load_module
setup 8192
echo nop >current_tracer
echo 1 >events/kmem/kmalloc/enable
echo $$ >set_event_pid
echo "# instructions from event to event, mean of 4000 (timestamps have microseconds)"
for depth in 2 6 12 24 40; do
	for mode in none full id; do
		case $mode in
		none) echo 0 >options/stacktrace ;;
		full) echo 1 >options/stacktrace; echo 0 >options/stackmap ;;
		id) echo 1 >options/stacktrace; echo 1 >options/stackmap ;;
		esac
		echo >trace
		echo 1 >tracing_on
		n=0
		while [ $n -lt 4 ]; do
			stacks $depth 0 1
			n=$((n + 1))
		done
		echo >trace
		echo "$depth 5 4000 same" >/sys/module/stackmap_test/parameters/run
		echo 0 >tracing_on
		eval "$mode=$(mean)"
	done
	real=$(sed -n 's/^stack_id .*depth \([0-9]*\)\]/\1/p' stack_map | sort -n | tail -n 1)
	echo "# depth $real: none $none, full $full, id $id"
	full=${full%.*} id=${id%.*}
	at_least "a number is cheaper than a stack of $real: instructions saved" $((full - id)) 0
done
end
