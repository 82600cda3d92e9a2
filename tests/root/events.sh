#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `dump --events` lists what the kernel's own text of the same buffer lists: each event with its CPU, pid
# and time, and its stack with the same names. The pages are saved with plain tools; `check` agrees.

tracing=/sys/kernel/tracing
[ -e $tracing/trace ] || tracing=/sys/kernel/debug/tracing
name=smtool-test-events
instance=$tracing/instances/$name

skip()
{
	echo "skip events equal the kernel's: $1"
	exit 0
}

[ -e $tracing/instances ] || skip "no tracefs with instances"
[ -e $tracing/events/kmem/kmalloc ] || skip "no kmem events"
if awk '$1 !~ /^0+$/ { n++ } END { exit n > 0 }' /proc/kallsyms; then
	skip "/proc/kallsyms is restricted"
fi
mkdir "$instance" || skip "cannot make an instance"
trap 'echo 0 >"$instance/tracing_on"; echo 0 >"$instance/events/enable"; rmdir "$instance"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

echo 0 >"$instance/tracing_on"
echo global >"$instance/trace_clock"
echo 16384 >"$instance/buffer_size_kb" || skip "no memory for the buffer"
for option in stacktrace sym-offset; do
	echo 1 >"$instance/options/$option" || skip "no option $option"
done
for event in kmalloc kmem_cache_alloc kfree kmem_cache_free mm_page_alloc mm_page_free; do
	echo 1 >"$instance/events/kmem/$event/enable" || skip "no event $event"
done
echo 1 >"$instance/tracing_on"
find /usr/bin /etc -name 'x*' >/dev/null 2>&1
i=0
while [ $i -lt 50 ]; do
	echo $i | cat >"file$i"
	i=$((i + 1))
done
echo 0 >"$instance/tracing_on"
rm -f file*
cat "$instance/trace" >kernel.txt

# A capture by hand: see smtool-capture(5).
to=capture/sys/kernel/tracing
mkdir -p capture/proc "$to/events/kmem" "$to/events/ftrace" "$to/instances/$name/per_cpu"
cat /proc/kallsyms >capture/proc/kallsyms
cat /proc/modules >capture/proc/modules 2>/dev/null
cat /proc/version >capture/proc/version
cat $tracing/saved_cmdlines >$to/saved_cmdlines
cat $tracing/events/header_page >$to/events/header_page
for format in "$tracing"/events/kmem/*/format "$tracing"/events/ftrace/*/format; do
	event=${format#"$tracing"/}
	mkdir -p "$to/${event%/format}"
	cat "$format" >"$to/$event"
done
cat "$instance/trace_clock" >"$to/instances/$name/trace_clock"
for cpu in "$instance"/per_cpu/cpu*; do
	dir=$to/instances/$name/per_cpu/${cpu##*/}
	mkdir "$dir"
	# Fails at the end, when nothing is left to read.
	dd if="$cpu/trace_pipe_raw" of="$dir/trace_pipe_raw" bs=65536 iflag=nonblock 2>/dev/null
	cat "$cpu/stats" >"$dir/stats"
done

# Lines "CPU PID SEC.USEC EVENT frame frame ...". The kernel writes a stack as a record of its own; it belongs
# to the newest event of its CPU, pid and context that has none.
cat >parse.awk <<'AWK'
match($0, /-[0-9]+ +\[[0-9]+\] /) && !/^ => / {
	split(substr($0, RSTART + 1, RLENGTH - 1), who, /[][ ]+/)
	rest = substr($0, RSTART + RLENGTH)
	flags = rest
	sub(/ .*/, "", flags)
	rest = substr(rest, length(flags) + 1)
	sub(/^ +/, "", rest)
	split(rest, word, /:? +/)
	if (kernel)
		flags = substr(flags, 3, 2)
	key = who[2] " " who[1] " " flags
	if (word[2] == "<stack") {
		current = 0
		for (i = last[key]; i > 0; i = before[i]) {
			if (!(i in has)) {
				current = i
				break
			}
		}
		has[current] = 1
	} else {
		current = ++n
		before[n] = last[key]
		last[key] = n
		event[n] = (who[2] + 0) " " who[1] " " word[1] " " word[2]
	}
}
/^ => / && $0 != " => [no stack]" {
	frame = substr($0, 5)
	gsub(/ /, "_", frame)
	stack[current] = stack[current] " " frame
}
END {
	for (i = 1; i <= n; i++)
		print event[i] stack[i]
}
AWK
awk -v kernel=1 -f parse.awk kernel.txt | sort >want
if ! smtool dump --events capture >ours.txt 2>err; then
	echo "not ok events equal the kernel's: dump failed"
	sed 's/^/  /' err
	exit 0
fi
awk -f parse.awk ours.txt | sort >got
n=$(wc -l <want)
if [ "$n" -lt 500 ]; then
	echo "not ok events equal the kernel's: only $n events"
elif grep -q LOST kernel.txt; then
	skip "events were lost"
elif diff want got >difference; then
	echo "ok events equal the kernel's"
else
	echo "not ok events equal the kernel's: $(grep -c '^[<>]' difference) lines of $n differ"
	head -n 6 difference | cut -c 1-300 | sed 's/^/  /'
fi
if smtool check capture >report 2>&1 && ! grep -q '^warning\|records differs' report; then
	echo "ok check finds the capture sound"
else
	echo "not ok check finds the capture sound"
	sed 's/^/  /' report
fi
