#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every stack frame that this kernel names, in stacks of a busy moment, has the same name here.

tracing=/sys/kernel/tracing
[ -e $tracing/trace ] || tracing=/sys/kernel/debug/tracing
instance=$tracing/instances/smtool-test-kallsyms
compare=$SM_BUILD/tests/unit/test_kallsyms

skip()
{
	echo "skip names equal the kernel's: $1"
	exit 0
}

[ -x "$compare" ] || skip "test_kallsyms isn't built"
[ -e $tracing/instances ] || skip "no tracefs with instances"
if awk '$1 !~ /^0+$/ { n++ } END { exit n > 0 }' /proc/kallsyms; then
	skip "/proc/kallsyms is restricted"
fi
mkdir "$instance" || skip "cannot make an instance"
trap 'echo 0 >"$instance/tracing_on"; echo 0 >"$instance/events/enable"; rmdir "$instance"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

for option in stacktrace sym-offset sym-addr; do
	echo 1 >"$instance/options/$option" || skip "no option $option"
done
echo 2048 >"$instance/buffer_size_kb"
for event in kmem/kmalloc kmem/kmem_cache_alloc kmem/kmem_cache_free kmem/mm_page_alloc irq \
	timer sched/sched_switch; do
	[ ! -e "$instance/events/$event/enable" ] || echo 1 >"$instance/events/$event/enable"
done
find /usr/bin /usr/lib /etc -name 'x*' >/dev/null 2>&1
tar cf - /etc 2>/dev/null | gzip >packed
cat /proc/meminfo /proc/interrupts /proc/self/maps >/dev/null
mkdir many
i=0
while [ $i -lt 200 ]; do
	echo $i | cat >"many/$i"
	i=$((i + 1))
done
rm -r many packed
echo 0 >"$instance/tracing_on"

# ` => name+0x1/0x2 [module] <address>`; a trampoline's line has no address.
sed -n 's/^ => \(.*\) <\([0-9a-f]*\)>$/\2 \1/p' "$instance/trace" >frames
if [ "$(wc -l <frames)" -lt 1000 ]; then
	echo "not ok names equal the kernel's: only $(wc -l <frames) frames"
	exit 0
fi
if "$compare" compare frames >out 2>&1; then
	echo "ok names equal the kernel's"
else
	echo "not ok names equal the kernel's"
	sed 's/^/  /' out
fi
