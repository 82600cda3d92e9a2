#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# How much further back the same buffer reaches: the same slab work with the option off and on, until
# the buffer has wrapped. The factor is (event + stack) / (event + 16 bytes): it depends on how deep the
# stacks are and on how long the events are. Once with all slab events, of which those of named caches
# carry the name, of processes that start and end; once of files; and once with kmalloc and kfree alone.
# series: experiment
# cpus: 2
# timeout: 900
. /guest/functions

processes() {
	_n=$1
	while [ "$_n" -gt 0 ]; do
		_n=$((_n - 1))
		busybox true
	done
}

measure() { # 0|1 KB command rounds event...
	_map=$1 _command=$3 _rounds=$4
	setup "$2"
	shift 4
	echo "$_map" >options/stackmap
	for _event; do
		echo 1 >events/kmem/"$_event"/enable
	done
	echo 1 >tracing_on
	"$_command" "$_rounds"
	echo 0 >tracing_on
	kmem 0
	at_least "the buffer has wrapped" "$(overrun)" 1000
	events=$(grep -c 'call_site=' trace)
	bytes=$(cat per_cpu/cpu*/stats | awk '/^bytes:/ { s += $2 } END { print s }')
	span=$(cat per_cpu/cpu*/stats | awk '/^oldest event ts:/ { old = $NF }
		/^now ts:/ { s += $NF - old; n++ } END { printf "%.1f", s / n }')
	depth=
	[ "$_map" = 1 ] || depth=", mean depth $(awk '/call_site=/ { e++ } /^ => / { f++ }
		END { printf "%.1f", f / e }' trace)"
	echo "# stackmap $_map, $_command, $*: $events events, $((bytes / events)) bytes an event, $span s$depth"
}

compare() { # percent KB command rounds event...
	_want=$1
	shift
	measure 0 "$@"
	off=$events
	measure 1 "$@"
	shift 3
	echo "# $(stat_of entries) stacks, $(grep success_rate stack_map_stat)"
	at_least "events kept, in percent of those without the map, $_command, $*" \
		$((100 * events / off)) "$_want"
}

all='kmalloc kfree kmem_cache_alloc kmem_cache_free'
# shellcheck disable=SC2086 # a list
compare 210 512 processes 200 $all
# shellcheck disable=SC2086
compare 180 512 work 12 $all
compare 217 48 work 60 kmalloc kfree
end
