#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# How much further back the same buffer reaches: the same slab work with the option off and on,
# until the buffer has wrapped. Once with all slab events, of which those of named caches carry the name,
# and once with kmalloc and kfree alone.
# series: experiment
# cpus: 2
# timeout: 900
. /guest/functions

measure() { # 0|1 KB rounds event...
	_map=$1 _rounds=$3
	setup "$2"
	shift 3
	echo "$_map" >options/stackmap
	for _event; do
		echo 1 >events/kmem/"$_event"/enable
	done
	echo 1 >tracing_on
	work "$_rounds"
	echo 0 >tracing_on
	kmem 0
	at_least "the buffer has wrapped" "$(overrun)" 1000
	events=$(grep -c 'call_site=' trace)
	bytes=$(cat per_cpu/cpu*/stats | awk '/^bytes:/ { s += $2 } END { print s }')
	span=$(cat per_cpu/cpu*/stats | awk '/^oldest event ts:/ { old = $NF }
		/^now ts:/ { s += $NF - old; n++ } END { printf "%.1f", s / n }')
	echo "# stackmap $_map, $*: $events events, $((bytes / events)) bytes an event, $span s"
}

compare() { # percent KB rounds event...
	_want=$1
	shift
	measure 0 "$@"
	off=$events
	measure 1 "$@"
	shift 2
	echo "# $(stat_of entries) stacks, $(grep success_rate stack_map_stat)"
	at_least "events kept, in percent of those without the map, $*" $((100 * events / off)) "$_want"
}

compare 180 512 12 kmalloc kfree kmem_cache_alloc kmem_cache_free
compare 217 48 60 kmalloc kfree
end
