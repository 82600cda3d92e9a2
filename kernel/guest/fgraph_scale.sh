#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# How long it takes to turn the function graph tracer on for so many sleeping threads, and how many
# passes over the tasks that needs: counted if the functions are neither inlined nor out of bounds
# for probes. guest.threads=N,N,... sets how many; 100000 take 6 GB. Not part of "all".
# series: experiment
# cpus: 2
# memory: 1024
# timeout: 3600
. /guest/functions

threads=$(sed -n 's/.*\bguest\.threads=\([0-9,]*\).*/\1/p' /proc/cmdline | tr , ' ')
threads=${threads:-10000 20000}
insmod "$(find /lib/modules -name fgraph_test.ko)"
echo do_nanosleep >set_ftrace_filter
echo 4194304 >/proc/sys/kernel/pid_max
echo 1000000 >/proc/sys/kernel/threads-max

# Batches are passes in a kernel without the walk by number.
for name in alloc_retstack_tasklist fill_ret_stack_batch assign_ret_stacks_by_list; do
	if grep -q " $name\$" /proc/kallsyms && echo "p:fgraph/$name $name" >>kprobe_events; then
		echo 1 >events/fgraph/$name/enable
	fi
done 2>/dev/null

hits() { # function
	awk -v name="$1" '$1 == name { print $2 }' kprobe_profile
}

passes() {
	for name in alloc_retstack_tasklist fill_ret_stack_batch assign_ret_stacks_by_list; do
		hits=$(hits $name)
		[ -z "$hits" ] || echo "$name $hits"
	done
}

# A first time, for the caches and for the tasks of the system.
fgraph_threads write function_graph current_tracer >/dev/null
echo nop >current_tracer
for n in $threads; do
	mkfifo /tmp/idle
	fgraph_threads idle "$n" >/tmp/idle &
	idle=$!
	read -r ready </tmp/idle
	rm /tmp/idle
	same "$n threads" "$ready" ready
	passes >/tmp/before
	fgraph_threads write function_graph current_tracer >/tmp/write
	passes >/tmp/after
	read -r seconds error </tmp/write
	same "$n threads: function_graph" "$error" ok
	echo "# threads $n seconds $seconds $(awk 'NR == FNR { before[$1] = $2; next }
		{ printf "%s %d ", $1, $2 - before[$1] }' /tmp/before /tmp/after)"
	read -r all without rest </sys/module/fgraph_test/parameters/tasks
	same "$n threads: of $all tasks, without a shadow stack" "$without" 0
	echo nop >current_tracer
	kill $idle
	wait $idle 2>/dev/null
	sleep 2
done
end
