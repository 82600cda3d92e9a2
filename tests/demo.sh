#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What smtool does, in less than a minute: as root, this machine's kernel is recorded for a few
# seconds under a small workload; else a capture in tests/data is read. Then two rankings.

. "$(dirname "$0")/env.sh"
unset COLUMNS LINES TERM

make_tmp
cd "$tmp" || exit 1
capture=demo.tar.zst

# show COMMAND...: says it, then does it
show()
{
	printf '\n$ %s\n' "$*"
	limited 60 "$@"
}

workload='find /usr /var -xdev -type f -size -64k 2>/dev/null | head -n 20000 |
	tar -cf - -T - 2>/dev/null | cat >/dev/null'
why=
if [ "$(id -u)" != 0 ]; then
	why='not root'
elif [ ! -e /sys/kernel/tracing/events/kmem ] && ! mount -t tracefs none /sys/kernel/tracing; then
	why='no tracefs with kmem events here'
else
	echo 'Recording the memory events of this machine for at most 5 seconds, under a small workload.'
	printf "\n\$ smtool record --duration 5 -o %s -- sh -c 'find ... | tar ...'\n" $capture
	limited 30 smtool record --duration 5 -o $capture -- sh -c "$workload" </dev/null ||
		why='recording failed'
fi
if [ -n "$why" ]; then
	capture=$DATA/demo.tar.zst
	if [ ! -e "$capture" ]; then
		echo "demo: $why, and there is no '$capture'" >&2
		exit 1
	fi
	echo "This machine isn't recorded ($why): a capture of another one is read instead."
	ln -s "$capture" demo.tar.zst
	capture=demo.tar.zst
fi

printf '\nThe call paths that made the peak: what memory was in use for at its largest.\n'
show smtool top --by peak_bytes -n 5 $capture || exit 1
printf '\nWho holds memory at the end that was allocated in the window: what a leak looks like.\n'
show smtool top --by live_bytes -n 5 $capture || exit 1
