#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Full stacks and numbers in one trace, from boot on: before there is a map, and too deep for it.
# series: stackmap
# cpus: 2
# boot: trace_options=stackmap,stacktrace trace_event=kmem:kmalloc trace_buf_size=4M trace_clock=mono
# timeout: 300
. /guest/functions

echo 0 >tracing_on
same "the option is on from boot" "$(cat options/stackmap)$(cat options/stacktrace)" 11
at_least "full stacks before the map" "$(full_in_trace)" 10
at_least "numbers after it" "$(ids_in_trace)" 10
same "all ids resolve" "$(unresolved)" ""
# On each processor: so early the clock has the same time for events of both.
same "first id comes after the last full stack" \
	"$(awk 'match($0, /\[[0-9]+\]/) { cpu = substr($0, RSTART, RLENGTH) }
	/<stack_id / { id[cpu] = 1 }
	/<stack trace>/ && id[cpu] { late++ }
	END { print late + 0 }' trace)" \
	"$(stat_of drops)"

load_module
echo >trace
echo 0 >stack_map
echo $$ >set_event_pid
echo 1 >tracing_on
stacks 10 0 100
stacks 80 0 20
echo 0 >tracing_on
deep=$(stat_of drops)
at_least "deep stacks are drops" "$deep" 20
same "and are full" "$(full_in_trace)" "$deep"
at_least "and longer than 64" "$(awk '/<stack trace>/ { n = 0 } /^ => / { if (++n > max) max = n }
	END { print max }' trace)" 65
same "none is in the map" "$(sed -n 's/^stack_id .*depth \([0-9]*\)\].*/\1/p' stack_map |
	awk '$1 > 64' | wc -l)" 0
same "references are successes" "$(refs)" "$(stat_of successes)"

# Exactly 64 is in, 65 isn't.
echo >trace
echo 0 >stack_map
echo 1 >tracing_on
n=45
while [ $n -lt 65 ]; do
	stacks $n 0 1
	n=$((n + 1))
done
echo 0 >tracing_on
same "the deepest in the map" "$(sed -n 's/^stack_id .*depth \([0-9]*\)\].*/\1/p' stack_map |
	sort -n | tail -n 1)" 64
same "the shallowest that isn't" "$(awk 'function done() { if (n && (!min || n < min)) min = n; n = 0 }
	/<stack trace>/ { done(); in_stack = 1; next } /^ => / { if (in_stack) n++; next }
	{ done(); in_stack = 0 } END { done(); print min }' trace)" 65

# A capture with both, of modules' and of the kernel's own stacks.
echo >trace
echo 0 >stack_map
echo >set_event_pid
kmem 1
echo 1 >tracing_on
stacks 80 0 10
work 1
stacks 80 0 10
echo 0 >tracing_on
kmem 0
same "ring buffer lost nothing" "$(overrun)" 0
at_least "full stacks" "$(full_in_trace)" 20
at_least "numbers" "$(ids_in_trace)" 100
capture mixed
end
