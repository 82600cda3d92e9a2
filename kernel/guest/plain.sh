#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A full recording that lost nothing: map, counters, trace and export agree.
# series: stackmap
# cpus: 2
# timeout: 300
. /guest/functions

setup 4096
same "table has two slots a stack" "$(stat_of table_size)" $((2 * $(capacity)))
same "default capacity" "$(capacity)" 16384
same "map is empty" "$(stat_of entries)" 0
check "no rate of nothing" refused grep -q success_rate stack_map_stat
kmem 1
echo 1 >tracing_on
work 4
echo 0 >tracing_on
kmem 0
same "ring buffer lost nothing" "$(overrun)" 0
same "no drops" "$(stat_of drops)" 0
same "no full stacks" "$(full_in_trace)" 0
at_least "stacks in the map" "$(stat_of entries)" 50
same "references are successes" "$(refs)" "$(stat_of successes)"
same "entries in the trace are successes" "$(ids_in_trace)" "$(stat_of successes)"
same "all ids resolve" "$(unresolved)" ""
same "text has the entries" "$(grep -c '^stack_id ' stack_map)" "$(stat_of entries)"
same "each id once" "$(sed -n 's/^stack_id \([0-9]*\) .*/\1/p' stack_map | uniq -d)" ""
same "rate" "$(grep success_rate stack_map_stat)" "success_rate: 100%"
same "each stack once" "$(awk '/^stack_id/ { s = ""; next } /^$/ { print s; next } { s = s "|" $0 }' \
	stack_map | sort | uniq -d | wc -l)" 0
check "binary is well-formed" stackmap_bin_test parse
for id in $(sed -n 's/.*<stack_id \([0-9]*\)>.*/\1/p' trace | sort | uniq -c | sort -rn | head -n 5 |
	awk '{ print $2 ":" $1 }'); do
	same "references of ${id%:*} are its entries" \
		"$(sed -n "s/^stack_id ${id%:*} \[ref \([0-9]*\),.*/\1/p" stack_map)" "${id#*:}"
done
check "the record type has its format" grep -q 'field:int stack_id;' events/ftrace/stack_id/format
same "file modes" "$(stat -c %a options/stackmap stack_map stack_map_stat stack_map_bin | tr '\n' ' ')" \
	"640 640 440 440 "
capture plain
end
