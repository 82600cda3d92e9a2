#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# smtool record with the kernel's map: what it saves is what the kernel has, it proves that no reset came
# in between or says that one did, and it leaves tracing as it was.
# series: stackmap
# cpus: 2
# timeout: 300
. /guest/functions

state() {
	cat tracing_on buffer_size_kb trace_clock options/stackmap options/stacktrace set_event
	ls instances
}

if [ ! -x /bin/smtool ]; then
	skip "smtool record: no static smtool in SMTOOL_STATIC"
	end
	exit
fi
setup 1024
echo 0 >options/stackmap
echo 0 >options/stacktrace
echo 1 >tracing_on
state >/tmp/before
check "records with the map" smtool record --stackmap=yes -o /out/record.tar.zst -- ls -lR /bin /guest
state >/tmp/after
check "tracing is as it was" cmp /tmp/before /tmp/after
cat stack_map >/out/record.stack_map
smtool dump /out/record.tar.zst >/tmp/dump
check "its stacks are the kernel's" cmp /tmp/dump stack_map
at_least "stacks" "$(grep -c '^stack_id ' /tmp/dump)" 20
check "check finds it sound" smtool check /out/record.tar.zst
same "generation" "$(smtool info --json /out/record.tar.zst | sed -n 's/.*"generation": "\(.*\)".*/\1/p')" \
	intact
smtool top --event '*' --by count --no-skip -n 0 -f csv /out/record.tar.zst >/tmp/rows
same "each stack's references are its events" "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
	$c["count"] != $c["ref_count"] { n++ } END { print n + 0 }' /tmp/rows)" 0
check "records while somebody resets" smtool record --stackmap=yes -o /out/reset.tar.zst -- \
	sh -c 'ls -lR /bin; echo reset >stack_map; ls -lR /guest'
same "says that the map was reset" \
	"$(smtool info --json /out/reset.tar.zst | sed -n 's/.*"generation": "\(.*\)".*/\1/p')" \
	"reset during capture"
check "records without the map" smtool record --stackmap=no -o /out/no.tar.zst -- ls -lR /guest
check "and finds it sound" smtool check /out/no.tar.zst
state >/tmp/after
check "tracing is as it was" cmp /tmp/before /tmp/after
end
