#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The running kernel's events can be read once: its timeline is the whole alone, and says so.

name=timeline-test
instance=/sys/kernel/tracing/instances/$name

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

# Some events, and nothing more of them.
fill()
{
	echo 1 >$instance/tracing_on
	echo 1 >$instance/events/kmem/kmalloc/enable
	ls -R /sys/kernel/mm >/dev/null
	echo 0 >$instance/events/kmem/kmalloc/enable
	echo 0 >$instance/tracing_on
}

if [ ! -d /sys/kernel/tracing/instances ] || [ ! -d /sys/kernel/tracing/events/kmem ]; then
	echo 'skip the running kernel: no tracefs with instances and kmem events'
	exit 0
fi
if ! mkdir $instance 2>err; then
	echo "skip the running kernel: $(cat err)"
	exit 0
fi
trap 'rmdir $instance' EXIT
echo 0 >$instance/tracing_on

smtool timeline --instance $name >out 2>err
[ $? = 1 ] && grep -q 'no events: nothing over time' err
result 'an empty buffer' $?

fill
smtool timeline --instance $name --json >out 2>err &&
	grep -q '"series": \[\],' out && grep -q 'can be read once: only the whole is shown' err &&
	[ "$(awk '/"value"/ { v = $2 + 0 } END { print v }' out)" -gt 0 ]
result 'the whole of it' $?

fill
smtool timeline --instance $name --focus ext4 >out 2>err
[ $? = 2 ] && grep -q 'need two readings' err
result 'what needs two readings' $?
