#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Turning the function graph tracer on gives every task a shadow stack: to many that sleep, while
# others are born, exec and die at numbers that wrap around, to one that is forked across the
# switch, and after there was no memory for all. guest.rounds= sets how often, among births and deaths.
# series: fgraph
# cpus: 4
# timeout: 900
. /guest/functions

slab=/sys/kernel/slab/fgraph_stack
fault=/sys/kernel/debug/failslab

graph() { # on|off
	case $1 in
	on) echo function_graph >current_tracer ;;
	off) echo nop >current_tracer ;;
	esac
}

# tasks FIELD: 1 all, 2 without a shadow stack, 3 that share one, 4 idle without
tasks() {
	cut -d ' ' -f "$1" /sys/module/fgraph_test/parameters/tasks
}

all_have() { # text
	read -r all without shared idle_without </sys/module/fgraph_test/parameters/tasks
	same "$1: of $all tasks, without a shadow stack" "$without" 0
	[ "$without" = 0 ] ||
		head -n 10 /sys/module/fgraph_test/parameters/missing | sed 's/^/# /'
	same "$1: with another's" "$shared" 0
	same "$1: idle without" "$idle_without" 0
}

# idle N: start so many sleeping threads, to be ended with kill $idle
idle() {
	mkfifo /tmp/idle
	fgraph_threads idle "$1" >/tmp/idle &
	idle=$!
	read -r ready </tmp/idle
	rm /tmp/idle
	[ "$ready" = ready ] || not_ok "$1 sleeping threads: '$ready'"
}

gone() { # pid...
	kill "$@"
	wait "$@" 2>/dev/null
	sleep 1
}

insmod "$(find /lib/modules -name fgraph_test.ko)"
echo do_nanosleep >set_ftrace_filter
echo 4194304 >/proc/sys/kernel/pid_max
echo 100000 >/proc/sys/kernel/threads-max

# Less than a batch, then some batches.
at_least "tasks without a shadow stack before" "$(tasks 2)" 10
graph on
all_have "few tasks"
graph off
idle 5000
at_least "tasks without a shadow stack, 5000 new ones" "$(tasks 2)" 5000
graph on
all_have "5000 threads"
gone $idle
graph off

# A fork that stands still half-way while tracing is turned on.
mkfifo /tmp/late /tmp/go
fgraph_threads late /tmp/go >/tmp/late 2>&1 &
late=$!
exec 3</tmp/late
read -r state <&3
if [ "$state" = stopped ]; then
	graph on
	all_have "a fork under way"
	echo >/tmp/go
	read -r state <&3
	same "the fork goes on" "$state" linked
	all_have "a fork across the switch"
	graph off
else
	skip "a fork across the switch: $state"
fi
exec 3<&-
gone $late

# Births and deaths. 400 numbers are through in no time.
idle 100
echo 700 >/proc/sys/kernel/pid_max
churn=
while [ "$(echo "$churn" | wc -w)" -lt 4 ]; do
	fgraph_threads churn >/dev/null 2>&1 &
	churn="$churn $!"
done
(while [ -e /sys/devices/system/cpu/cpu3/online ]; do
	for online in 0 1; do
		echo $online >/sys/devices/system/cpu/cpu3/online
	done
done) 2>/dev/null &
hotplug=$!
dmesg -n 1
rounds=$(sed -n 's/.*\bguest\.rounds=\([0-9]*\).*/\1/p' /proc/cmdline)
rounds=${rounds:-15}
round=0 missing=0 before=0 shared=0 idle_missing=0
begin=$(date +%s)
while [ $round -lt "$rounds" ]; do
	round=$((round + 1))
	before=$((before + $(tasks 2)))
	graph on
	read -r all without sharing idle_without </sys/module/fgraph_test/parameters/tasks
	missing=$((missing + without)) shared=$((shared + sharing))
	idle_missing=$((idle_missing + idle_without))
	graph off
done
dmesg -n 5
echo "# $round rounds in $(($(date +%s) - begin)) s by the guest's clock"
at_least "births and deaths: without a shadow stack before, in $round rounds" $before $round
same "births and deaths: without after" $missing 0
same "births and deaths: with another's" $shared 0
same "births and deaths: idle without" $idle_missing 0
kill $hotplug
wait $hotplug 2>/dev/null
[ ! -e /sys/devices/system/cpu/cpu3/online ] || echo 1 >/sys/devices/system/cpu/cpu3/online
# shellcheck disable=SC2086 # a list
gone $churn $idle
echo 4194304 >/proc/sys/kernel/pid_max

# No memory for the 1500th: nothing is turned on, nothing is lost, and it can be tried again.
if [ -e $fault ] && [ -e $slab/failslab ]; then
	idle 3000
	before=$(tasks 2)
	echo 1 >$slab/failslab
	echo Y >$fault/cache-filter
	echo N >$fault/ignore-gfp-wait
	echo 0 >$fault/verbose
	echo 1 >$fault/interval
	echo -1 >$fault/times
	echo $((1500 * 4096)) >$fault/space
	echo 100 >$fault/probability
	result=$(fgraph_threads write function_graph current_tracer)
	echo 0 >$fault/probability
	echo 0 >$slab/failslab
	same "no memory: the error" "${result#* }" ENOMEM
	same "no memory: the tracer" "$(cat current_tracer)" nop
	at_least "no memory: tasks that got a shadow stack" $((before - $(tasks 2))) 1000
	at_least "no memory: tasks without" "$(tasks 2)" 1000
	graph on
	all_have "memory again"
	graph off
	gone $idle
else
	skip "no memory"
fi

# What is allocated belongs to a task.
sleep 2
echo 1 >$slab/shrink
have=$(($(tasks 1) - $(tasks 2) + $(grep -c ^processor /proc/cpuinfo)))
objects=$(sed 's/ .*//' $slab/objects)
if [ "$objects" -ge $have ] && [ "$objects" -le $((have + 8)) ]; then
	ok "shadow stacks that are allocated ($objects) belong to tasks ($have)"
else
	not_ok "shadow stacks that are allocated ($objects) belong to tasks ($have)"
fi
end
