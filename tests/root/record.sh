#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: record.sh
# smtool record on the running kernel. $SMTOOL is the binary, else smtool from PATH.

set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${SMTOOL:=smtool}"
tracing=/sys/kernel/tracing
[ -e $tracing/instances ] || tracing=/sys/kernel/debug/tracing
if [ "$(id -u)" -ne 0 ] || [ ! -w $tracing/tracing_on ] || [ ! -d $tracing/instances ]; then
	echo 'skip all: needs root and tracefs with instances'
	exit 0
fi
dir=$(mktemp -d "${TMPDIR:-/tmp}/smtool-record.XXXXXX") || exit 1
background=
clean_up()
{
	[ -z "$background" ] || kill -9 "$background" 2>/dev/null
	! mountpoint -q "$dir/small" || umount "$dir/small"
	[ ! -d "$tracing/instances/record-test" ] || rmdir "$tracing/instances/record-test"
	rm -rf "$dir"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
cd "$dir" || exit 1
# shellcheck source=tests/root/tracefs
. "$here/tracefs"

# result NAME: what the command before it says
result()
{
	if [ "$2" -eq 0 ]; then
		echo "ok $1"
	else
		echo "not ok $1"
		sed 's/^/stderr: /' err 2>/dev/null
	fi
}

# failed STATUS WANTED PATTERN: one line on stderr that says why, and nothing left behind
failed()
{
	[ "$1" -eq "$2" ] && [ "$(wc -l <err)" -eq 1 ] && grep -q -- "$3" err &&
		[ ! -s out ] && [ -z "$(own_instances)" ] && no_files
}

no_files()
{
	[ -z "$(find . -name '*.tar.zst' ! -name kept.tar.zst -o -name '.*.tmp')" ]
}

# Every record that the kernel says was read is in the pages, and the archive is whole.
whole()
{
	tar --zstd -tf "$1" >list 2>>err && tar --zstd -xOf "$1" smtool.json >json &&
		tar --zstd -xOf "$1" --wildcards '*/stats' >stats &&
		[ "$(awk '/^read events:/ { n += $3 } END { print n + 0 }' stats)" -eq \
			"$(sed -n 's/^ *"records": \([0-9]*\).*/\1/p' json)" ] &&
		grep -q '^proc/kallsyms$' list
}

# Waits until the recording in the background traces.
started()
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

begin()
{
	"$SMTOOL" record -o "$1" >out 2>err &
	background=$!
	started $background
}

# finish SIGNAL: sets $status
finish()
{
	kill "-$1" "$background"
	wait "$background" 2>/dev/null
	status=$?
	background=
}

"$SMTOOL" record -q -o first.tar.zst --duration 0.1 2>err # clears what is left from others
rm -f first.tar.zst
snapshot >before

"$SMTOOL" record -o a.tar.zst -- find /usr/lib -name nothing >out 2>err &&
	whole a.tar.zst && [ "$(wc -l <err)" -eq 1 ] && grep -q ' 0 lost' err &&
	[ "$(stat -c %a a.tar.zst)" = 600 ]
result 'a command, every record saved' $?
grep -q 'events/kmem/kmalloc/format' list && grep -q 'per_cpu/cpu0/trace_pipe_raw$' list &&
	grep -q 'events/ftrace/kernel_stack/format' list && ! grep -q mm_page list
result 'slab events by default' $?
snapshot >after
cmp -s before after
result 'leaves tracefs as it was' $?
rm -f a.tar.zst

"$SMTOOL" record -q --page -o - --duration 0.2 >p.tar.zst 2>err && whole p.tar.zst &&
	grep -q mm_page_alloc/format list && ! grep -Eq 'kmalloc/|batched' list && [ ! -s err ]
result '--page, to standard output, quietly' $?
"$SMTOOL" record -q -e 'sched:sched_sw*' -e kfree --clock global -o e.tar.zst --duration 0.2 \
	2>err && whole e.tar.zst && grep -q sched_switch/format list &&
	grep -q kmem/kfree/format list &&
	! grep -q kmalloc/ list && grep -q '"clock": "global"' json
result '-e with a pattern and a bare name, --clock' $?
"$SMTOOL" record -o s.tar.zst --size 10k --duration 60 2>err &&
	whole s.tar.zst && grep -q 'size limit' err
result '--size' $?
rm -f ./*.tar.zst

for signal in INT TERM HUP; do
	begin t.tar.zst && finish $signal && [ "$status" -eq 0 ] && whole t.tar.zst
	result "SIG$signal finishes the capture" $?
	rm -f t.tar.zst
done
echo former >kept.tar.zst
begin kept.tar.zst && finish QUIT && failed "$status" 1 'nothing saved' &&
	[ "$(cat kept.tar.zst)" = former ]
result 'SIGQUIT leaves a former file alone' $?

begin k.tar.zst && finish KILL && no_files && [ -n "$(own_instances)" ] &&
	"$SMTOOL" record -o k.tar.zst --duration 0.1 2>err &&
	grep -q 'recording that was killed\|recording left behind' err && [ -z "$(own_instances)" ]
result 'a killed one is cleaned up by the next' $?
rm -f k.tar.zst

"$SMTOOL" record -o x.tar.zst -- sh -c 'exit 3' 2>err && whole x.tar.zst &&
	grep -q 'exited with status 3' err
result "a command's failure is told, the capture is fine" $?
rm -f x.tar.zst
"$SMTOOL" record -o x.tar.zst -- ./not-there >out 2>err
failed $? 1 not-there
result 'a command that cannot be run' $?
"$SMTOOL" record -o x.tar.zst -e kmem:nonesuch >out 2>err
failed $? 1 'no such event'
result 'no such event' $?
"$SMTOOL" record -o x.tar.zst --clock sundial >out 2>err
failed $? 2 sundial
result 'no such clock' $?
"$SMTOOL" record -o no/such/dir/x.tar.zst >out 2>err
failed $? 1 no/such/dir
result 'output in no directory' $?
if [ -e $tracing/stack_map_bin ]; then
	echo 'skip --stackmap=yes without a stack map: this kernel has one'
else
	"$SMTOOL" record -o x.tar.zst --stackmap=yes >out 2>err
	failed $? 1 'no stack map'
	result '--stackmap=yes without a stack map' $?
fi

mkdir "$tracing/instances/record-test"
"$SMTOOL" record -o x.tar.zst --instance record-test >out 2>err
failed $? 1 'exists already' && [ -d "$tracing/instances/record-test" ]
result 'an instance that exists is left alone' $?
rmdir "$tracing/instances/record-test"
"$SMTOOL" record -q -o x.tar.zst --instance record-test --duration 0.1 2>err &&
	whole x.tar.zst && grep -q 'instances/record-test/per_cpu' list &&
	[ ! -d "$tracing/instances/record-test" ]
result 'an instance of a given name goes at the end' $?
rm -f x.tar.zst

if command -v setpriv >/dev/null 2>&1; then
	chmod 777 "$dir"
	cp "$(command -v "$SMTOOL")" ./smtool-copy
	setpriv --reuid=65534 --regid=65534 --clear-groups ./smtool-copy record -o x.tar.zst \
		>out 2>err
	failed $? 1 'run it as root'
	result 'without permission' $?
else
	echo 'skip without permission: no setpriv here'
fi

mkdir small
if mount -t tmpfs -o size=256k none small 2>/dev/null; then
	echo former >small/kept.tar.zst
	"$SMTOOL" record -o small/kept.tar.zst --duration 0.5 -- find /usr >out 2>err
	status=$?
	: >out # find's
	failed $status 1 'No space left' && [ "$(cat small/kept.tar.zst)" = former ] &&
		[ "$(ls -A small)" = kept.tar.zst ]
	result 'a full disk' $?
	umount small
else
	echo 'skip a full disk: cannot mount a tmpfs'
fi

snapshot >after
cmp -s before after
result 'leaves tracefs as it was after all this' $?
