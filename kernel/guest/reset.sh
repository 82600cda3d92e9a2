#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Resets: what is accepted, what open files see, and a capture that spans one.
# series: stackmap
# cpus: 4
# timeout: 400
. /guest/functions

setup 1024
kmem 1
echo 1 >tracing_on
work 1
before=$(stat_of entries)
at_least "stacks before the reset" "$before" 20
for word in 1 00 x resets 'reset x' ' 0' ''; do
	check "'$word' doesn't reset" refused put "$word" stack_map
done
check "NUL doesn't end a word" refused sh -c "printf 'reset\\0' >stack_map"
at_least "refused words changed nothing" "$(stat_of entries)" "$before"
check "reset while tracing" put reset stack_map
work 1
echo 0 >tracing_on
kmem 0
at_least "stacks after the reset" "$(stat_of entries)" 20
same "references are successes after it" "$(refs)" "$(stat_of successes)"
at_least "the trace has more ids than the map counted" "$(ids_in_trace)" $(($(stat_of successes) + 1))
capture reset

echo >trace
echo 0 >stack_map
same "0 resets too" "$(stat_of entries) $(stat_of successes) $(stat_of drops)" "0 0 0"
(while :; do work 1; done) >/dev/null 2>&1 &
writer=$!
kmem 1
echo 1 >tracing_on
check "ESTALE for an export that a reset cut" stackmap_bin_test stale
check "end of file for one that was complete" stackmap_bin_test complete
check "header counts the records while stacks arrive" stackmap_bin_test count
n=0
while [ $n -lt 100 ]; do
	n=$((n + 1))
	echo reset >stack_map || break
	cat stack_map stack_map_stat >/dev/null
done
same "resets under an active writer" $n 100
echo 0 >tracing_on
echo >trace
echo reset >stack_map
echo 1 >tracing_on
sleep 2
echo 0 >tracing_on
kill $writer
kmem 0
same "references are successes after them" "$(refs)" "$(stat_of successes)"
same "all ids resolve after them" "$(unresolved)" ""
check "binary is well-formed after them" stackmap_bin_test parse
echo 0 >stack_map
same "the map is empty" "$(stat_of entries)" 0
at_least "the trace isn't" "$(ids_in_trace)" 1
check "binary of an empty map" stackmap_bin_test parse
end
