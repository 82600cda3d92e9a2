#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# For the names of addresses: a capture whose stacks go through modules, with all that a capture can have
# for symbols, beside the kernel's own text of the same buffer. run --modules brings modules into a kernel
# that has none of ours; of an overlay file system use is made here.
# series: any
# cpus: 2
# timeout: 400
. /guest/functions

for module in /lib/load/*.ko; do
	[ -e "$module" ] || continue
	check "loads ${module##*/}" insmod "$module"
done
if [ -d /lib/modules ]; then
	check "loads our module" load_module
fi
# Numbers need a map to be read with; full stacks are in the text.
setup 1024
[ ! -e options/stackmap ] || echo 0 >options/stackmap
echo 1 >options/sym-offset
echo 1 >options/sym-addr
kmem 1
echo 1 >tracing_on
if grep -qw overlay /proc/filesystems; then
	mkdir /tmp/up /tmp/work /tmp/merged
	mount -t overlay -o lowerdir=/guest,upperdir=/tmp/up,workdir=/tmp/work overlay /tmp/merged
	ls -lR /tmp/merged >/dev/null
	cat /tmp/merged/* >/dev/null
	echo x >/tmp/merged/any.sh
	mkdir /tmp/merged/new
	mv /tmp/merged/names.sh /tmp/merged/new
	rm /tmp/merged/reset.sh
	umount /tmp/merged
fi
[ ! -e /sys/module/stackmap_test ] || stacks 10 0 40
echo 0 >tracing_on
kmem 0
same "ring buffer lost nothing" "$(overrun)" 0
at_least "full stacks" "$(full_in_trace)" 50
at_least "of which go through a module" "$(grep -c '^ => .*\] <' trace)" 50
at_least "addresses of symbols" "$(grep -vc '^0000000000000000 ' /proc/kallsyms)" 10000
capture names
end
