#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The option is the global instance's alone, and its boot parameter is clamped.
# series: stackmap
# cpus: 1
# boot: ftrace_stackmap.bits=3
# timeout: 120
. /guest/functions

same "capacity of bits=3 is clamped" "$(capacity)" 1024
check "with a warning" sh -c "dmesg | grep -q 'ftrace_stackmap.bits=3 out of range, using 10'"
same "off by default" "$(cat options/stackmap)" 0
setup 1024
mkdir instances/one
for file in options/stackmap stack_map stack_map_stat stack_map_bin; do
	check "$file isn't in an instance" test ! -e instances/one/$file
done
check "an instance doesn't list it" refused grep stackmap instances/one/trace_options
check "an instance refuses it" refused put stackmap instances/one/trace_options
check "an instance accepts its absence" put nostackmap instances/one/trace_options
check "the global list has it" grep -qx stackmap trace_options
check "off by trace_options" put nostackmap trace_options
same "is off" "$(cat options/stackmap)" 0
check "on by trace_options" put stackmap trace_options
same "is on" "$(cat options/stackmap)" 1
echo 1 >instances/one/options/stacktrace
echo 1 >instances/one/events/kmem/kmalloc/enable
work 1
echo 0 >instances/one/events/kmem/kmalloc/enable
at_least "an instance records full stacks" "$(grep -c '<stack trace>' instances/one/trace)" 1
same "and no numbers" "$(grep -c '<stack_id' instances/one/trace)" 0
rmdir instances/one
same "the global one is as it was" "$(cat options/stackmap)" 1

# Small things.
check "stack_map can't be read by others" test "$(stat -c %A stack_map | cut -c 8-)" = ---
check "options/stackmap takes no 2" refused put 2 options/stackmap
check "the README names the files" grep -q stack_map_bin README
end
end
