#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What trace-cmd records on this machine, in both versions, compressed or not, with instances, by other clocks,
# is read as its own report reads it: each event with its time, CPU, task, fields and stack.

tracing=/sys/kernel/tracing
one=smtool-dat-one two=smtool-dat-two

skip()
{
	echo "skip trace.dat: $1"
	exit 0
}

command -v trace-cmd >/dev/null || skip "no trace-cmd"
perl -MJSON::PP -e 1 2>/dev/null || skip "no perl with JSON::PP"
[ -e $tracing/instances ] || skip "no tracefs at $tracing"
[ -e $tracing/events/kmem/kmalloc ] || skip "no kmem events"
# trace-cmd resets the top level.
[ "$(cat $tracing/current_tracer)" = nop ] || skip "somebody is tracing"
[ "$(cat $tracing/events/enable)" = 0 ] || skip "somebody is tracing"
if awk '$1 !~ /^0+$/ { n++ } END { exit n > 0 }' /proc/kallsyms; then
	skip "/proc/kallsyms is restricted"
fi
clean_up()
{
	for instance in $one $two; do
		[ ! -e "$tracing/instances/$instance" ] || rmdir "$tracing/instances/$instance"
	done
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

cat >work.sh <<'SH'
i=0
while [ $i -lt 5 ]; do
	echo $i | cat >file$i
	i=$((i + 1))
done
rm -f file*
SH

# Some kernels' policies allow events, and forbid root the files of the function tracer, which trace-cmd opens
# whether it needs them or not: there it gets empty ones, in a mount namespace of its own.
cat >record.sh <<'SH'
# record.sh "INSTANCE..." ARG...
tracing=/sys/kernel/tracing instances=$1
shift
mask()
{
	for file in set_ftrace_pid set_ftrace_notrace_pid set_ftrace_filter set_ftrace_notrace; do
		[ ! -e "$1/$file" ] || cat "$1/$file" >/dev/null 2>&1 || mount --bind empty "$1/$file"
	done
}
if ! cat $tracing/set_ftrace_pid >/dev/null 2>&1 && [ -e $tracing/set_ftrace_pid ]; then
	mount --make-rprivate /
	: >empty
	echo 1 >enabled
	mount --bind enabled /proc/sys/kernel/ftrace_enabled
	mask $tracing
	for instance in $instances; do
		mkdir -p "$tracing/instances/$instance"
		mask "$tracing/instances/$instance"
	done
fi
exec trace-cmd record "$@" sh work.sh
SH

# test NAME "INSTANCE..." ARG...: records, and compares the top level and each instance
test_record()
{
	name=$1 instances=$2
	shift 2
	rm -f trace.dat
	unshare -m sh record.sh "$instances" -o trace.dat "$@" >record.log 2>&1
	clean_up 2>/dev/null
	if ! trace-cmd report -t -l -i trace.dat >report.txt 2>/dev/null ||
		! trace-cmd report -t -i trace.dat >names 2>/dev/null; then
		echo "skip $name: trace-cmd doesn't record: $(tail -n 1 record.log)"
		return
	fi
	for instance in '' $instances; do
		set -- ${instance:+--instance "$instance"}
		label=$name${instance:+/$instance}
		: >err
		smtool dump --events --format jsonl "$@" trace.dat >events 2>>err &&
			smtool top --by bytes -n 0 --json "$@" trace.dat >top.json 2>>err
		status=$?
		# An empty top level isn't there.
		if [ -z "$instance" ] && ! grep -q '^ ' report.txt; then
			continue
		fi
		if [ $status = 0 ] &&
			perl "$SM_SRC/tests/dat/compare.pl" report.txt names events top.json "$instance" >out; then
			echo "ok $label: $(tail -n 1 out)"
		else
			echo "not ok $label"
			cat err out
		fi
	done
}

# -F -c: of work.sh and its children alone
slab='-F -c -e kmem:kmalloc -e kmem:kfree -e kmem:kmem_cache_alloc -e kmem:kmem_cache_free'
# shellcheck disable=SC2086 # several words
{
	test_record v6 '' --file-version 6 $slab -T
	test_record v7-none '' --file-version 7 --compression none $slab -T
	test_record v7-mono '' --file-version 7 -C mono $slab -O stacktrace
	test_record v7-date '' --file-version 7 --date $slab -T
	test_record v6-date '' --file-version 6 --date -C global $slab -T
	test_record v7-tsc '' --file-version 7 -C x86-tsc --tsc2nsec $slab -T
	for compression in $(trace-cmd list -c | sed -n 's/^[[:space:]]\([a-z0-9]*\),.*/\1/p'); do
		test_record "v7-$compression" '' --file-version 7 --compression "$compression" $slab -T
	done
	test_record v7-instances "$one $two" --file-version 7 $slab -T -B $one -F -c -e kmem:kmem_cache_alloc \
		-O stacktrace -B $two -F -c -e kmem:mm_page_alloc -e kmem:mm_page_free
	test_record v6-instances "$one $two" --file-version 6 $slab -T -B $one -F -c -e kmem:kmem_cache_alloc \
		-O stacktrace -B $two -F -c -e kmem:mm_page_alloc -e kmem:mm_page_free
	# A small buffer that is seldom read
	test_record v7-small '' --file-version 7 -b 64 -s 1000000 $slab -T
}

# The last, from a pipe, and cut short.
# shellcheck disable=SC2002 # a pipe, not a file
smtool top --json trace.dat >want && cat trace.dat | smtool top --json - >got
if cmp want got; then
	echo "ok from a pipe"
else
	echo "not ok from a pipe"
fi
size=$(wc -c <trace.dat)
head -c $((size - 6000)) trace.dat >cut.dat
smtool top cut.dat >out 2>err
if [ $? = 3 ] && grep -q 'at byte' err; then
	echo "ok cut short"
else
	echo "not ok cut short"
	cat err
fi
