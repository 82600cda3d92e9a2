#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# More stacks than there is room for: the rest are full stacks, counted, and none is lost.
# series: stackmap
# cpus: 1
# boot: ftrace_stackmap.bits=10
# timeout: 300
. /guest/functions

load_module
setup 4096
same "capacity of bits=10" "$(capacity)" 1024
echo 1 >events/kmem/kmalloc/enable
echo $$ >set_event_pid
echo 1 >tracing_on
stacks 14 0 1500
stacks 14 0 1500
echo 0 >tracing_on
echo 0 >events/kmem/kmalloc/enable
same "ring buffer lost nothing" "$(overrun)" 0
same "map is full" "$(stat_of entries)" 1024
same "text has all" "$(grep -c '^stack_id ' stack_map)" 1024
same "full stacks are drops" "$(full_in_trace)" "$(stat_of drops)"
same "ids are successes" "$(ids_in_trace)" "$(stat_of successes)"
same "each event has one or the other" $(($(full_in_trace) + $(ids_in_trace))) \
	"$(grep -c ' kmalloc: ' trace)"
at_least "known stacks were served with the map full" "$(stat_of successes)" 2000
at_least "drops" "$(stat_of drops)" 900
same "references are successes" "$(refs)" "$(stat_of successes)"
same "all ids resolve" "$(unresolved)" ""
same "rate is rounded down" "$(sed -n 's/^success_rate: //p' stack_map_stat)" \
	"$((100 * $(stat_of successes) / ($(stat_of successes) + $(stat_of drops))))%"
check "binary is well-formed" stackmap_bin_test parse
capture full
echo reset >stack_map
echo >trace
echo 1 >tracing_on
echo 1 >events/kmem/kmalloc/enable
stacks 14 1500 500
echo 0 >tracing_on
same "after a reset there is room" "$(stat_of drops)" 0
end
