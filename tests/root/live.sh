#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A live profile of this machine's kernel: what it saves says what its last snapshot said, what is lost is
# told, and tracefs is as it was, however it ends.

tracing=/sys/kernel/tracing
[ -e $tracing/instances ] || tracing=/sys/kernel/debug/tracing
if [ ! -w $tracing/tracing_on ] || [ ! -d $tracing/instances ] || [ ! -d $tracing/events/kmem ]; then
	echo 'skip all: no tracefs with instances and kmem events'
	exit 0
fi
loads=
clean_up()
{
	[ -z "$loads" ] || kill "$loads" 2>/dev/null
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
# shellcheck source=tests/root/tracefs
. "$(dirname "$0")/tracefs"

# result NAME STATUS
result()
{
	if [ "$2" = 0 ]; then
		echo "ok $1"
	else
		echo "not ok $1"
		sed 's/^/  /' out err
	fi
}

# Something that allocates, until it is stopped.
load()
{
	while :; do
		find /usr/lib /proc/sys -maxdepth 2 -name nothing >/dev/null 2>&1
	done &
	loads=$!
}

stop_load()
{
	kill "$loads"
	wait "$loads" 2>/dev/null
	loads=
}

# value KEY: what watcher said
value()
{
	sed -n "s/^$1 //p" out
}

# Each total, and what is missing, of the saved capture up to the last snapshot's end
agrees()
{
	smtool top --at "$(value to)" -n 0 --json "$1" >top.json 2>>err || return 1
	for key in count bytes bytes_req waste live_bytes live_count peak_bytes frees unmatched_frees; do
		got=$(sed -n "s/.*\"$key\": \([0-9]*\).*/\1/p" top.json | head -n 1)
		[ "$got" = "$(value $key)" ] || {
			echo "$key: '$got' in the capture" >>err
			return 1
		}
	done
}

smtool record -q -o first.tar.zst --duration 0.1 2>err # clears what is left from others
snapshot >before

load
watcher -a -n 6 -i 300 -o a.tar.zst >out 2>err && [ "$(value count)" -gt 1000 ] &&
	[ "$(value live_count)" -gt 0 ] && [ "$(value kept_all)" = 1 ] && [ "$(value lost)" = 0 ] && [ ! -s err ]
result 'slab events, read as they come' $?
agrees a.tar.zst
result 'a saved capture agrees' $?
smtool check -q a.tar.zst >out 2>err && smtool info a.tar.zst >out 2>err && ! grep -q 'read, [1-9]' out &&
	smtool top -n 3 a.tar.zst >out 2>err
result 'and is sound' $?

watcher -p -n 4 -i 250 -c global -o p.tar.zst >out 2>err && [ "$(value count)" -gt 10 ] && agrees p.tar.zst
result 'page events, by another clock' $?
watcher -c local -n 3 -i 200 -o l.tar.zst >out 2>err && [ "$(value count)" -gt 10 ] &&
	smtool check l.tar.zst >out 2>err
result 'by a clock that orders nothing' $?

watcher -b 8 -n 4 -i 300 -o small.tar.zst >out 2>err
if [ "$(value lost_events)" = 0 ]; then
	echo 'skip losses: none, even with a small buffer'
else
	[ "$(value lost)" -ge "$(value lost_events)" ] && agrees small.tar.zst &&
		smtool check small.tar.zst >out 2>err && grep -q 'events lost' out
	result 'losses' $?
fi

watcher -v -l 300000 -n 8 -i 250 -o part.tar.zst >out 2>err && [ "$(value lost)" = 0 ] &&
	[ "$(value kept_bytes)" -le 300000 ]
result 'a limit' $?
if [ "$(value kept_all)" = 1 ]; then
	echo 'skip what the limit leaves out: all fits'
else
	smtool check part.tar.zst >out 2>err && grep -q 'events lost' out &&
		smtool top -n 1 part.tar.zst >out 2>err && grep -qi 'lost' out err
	result 'what the limit leaves out is told' $?
fi
mkdir full
if mount -t tmpfs -o size=512k none full 2>/dev/null; then
	watcher -d full -n 5 -i 250 -o full.tar.zst >out 2>err && [ "$(value kept_all)" = 0 ] &&
		grep -q 'No space left' err && [ "$(value events)" -gt 1000 ] &&
		smtool check full.tar.zst >out 2>err && grep -q 'events lost' out
	result 'a full disk ends no more than what is kept' $?
	umount full
else
	echo 'skip a full disk: cannot mount a tmpfs'
fi
snapshot >after
cmp before after >out 2>err
result 'leaves tracefs as it was' $?

# began PID: it traces
began()
{
	tries=0
	while [ $tries -lt 100 ]; do
		for on in "$tracing"/instances/smtool-"$1"-*/tracing_on; do
			[ "$(cat "$on" 2>/dev/null)" != 1 ] || return 0
		done
		sleep 0.05
		tries=$((tries + 1))
	done
	return 1
}

for signal in TERM INT; do
	watcher -n 1000 -i 100 -v >out 2>err &
	pid=$!
	# A shell's background processes ignore SIGINT; watcher sets its own handler.
	began $pid && sleep 0.4 && kill -$signal $pid && wait $pid && snapshot >after && cmp before after >err 2>&1
	result "leaves tracefs as it was after SIG$signal" $?
done
watcher -n 1000 -i 100 >out 2>err &
pid=$!
began $pid && kill -KILL $pid
wait $pid 2>/dev/null
[ -n "$(own_instances)" ] && watcher -n 1 -i 50 >out 2>err && grep -q 'was killed' err && snapshot >after &&
	cmp before after >out 2>&1
result 'a killed one is cleaned up by the next' $?
stop_load
