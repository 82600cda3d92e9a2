#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Four processors, the function tracer with stacks, in NMIs as well, slab events, resets and readers;
# then a quiet phase in which everything has to agree. guest.seconds= sets the length.
# series: stackmap
# cpus: 4
# boot: nmi_watchdog=1
# timeout: 900
. /guest/functions

seconds=$(sed -n 's/.*\bguest\.seconds=\([0-9]*\).*/\1/p' /proc/cmdline)
seconds=${seconds:-15}
load_module
setup 2048
kmem 1
echo 'kmem_cache_alloc* __kmalloc* kfree vfs_* do_sys_* handle_mm_fault' >set_ftrace_filter
echo 'nmi_cpu_backtrace*' >>set_ftrace_filter
echo function >current_tracer
echo 1 >options/func_stack_trace
cpu=0
writers=
while [ $cpu -lt 4 ]; do
	taskset -p $((1 << cpu)) $$ >/dev/null
	(while :; do
		work 1
		stacks 12 0 200
	done) >/dev/null 2>&1 &
	writers="$writers $!"
	cpu=$((cpu + 1))
done
taskset -p f $$ >/dev/null
(while :; do
	cat stack_map stack_map_stat stack_map_bin >/dev/null 2>&1
done) &
reader=$!
(while :; do
	# A backtrace of all processors, by NMI.
	echo l >/proc/sysrq-trigger
	usleep 50000
done) >/dev/null 2>&1 &
nmis=$!
dmesg -n 1
echo 1 >tracing_on
end=$(($(date +%s) + seconds))
resets=0
while [ "$(date +%s)" -lt $end ]; do
	echo reset >stack_map && resets=$((resets + 1))
done
at_least "resets" $resets 3
# One generation without a reset, on all processors at once.
echo 0 >tracing_on
echo >trace
echo reset >stack_map
echo 1 >tracing_on
sleep 5
echo 0 >tracing_on
kill $reader $nmis
# shellcheck disable=SC2086 # a list
kill $writers
sleep 1
dmesg -n 5
echo 0 >options/func_stack_trace
echo nop >current_tracer
kmem 0
at_least "successes" "$(stat_of successes)" 1000
at_least "stacks of NMIs in the map" "$(grep -c ' nmi_cpu_backtrace' stack_map)" 1
same "references are successes" "$(refs)" "$(stat_of successes)"
same "text has the entries" "$(grep -c '^stack_id ' stack_map)" "$(stat_of entries)"
same "each id once" "$(sed -n 's/^stack_id \([0-9]*\) .*/\1/p' stack_map | sort | uniq -d | wc -l)" 0
same "all ids resolve" "$(unresolved | wc -l)" 0
check "binary is well-formed" stackmap_bin_test parse
mkdir -p /out/stress
cat stack_map >/out/stress/stack_map
cat stack_map_bin >/out/stress/stack_map_bin
cat stack_map_stat >/out/stress/stack_map_stat
end
