#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: demo.sh [CMD [ARG]...] >demo.tar.zst
# Records the running kernel for as long as CMD takes (default: unpacks a small archive), and makes
# the capture small: of kallsyms the symbols stay that its stacks need and what tells their sizes, of
# the task names those that its events have. Needs root, tracefs and smtool in PATH.

set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
if [ $# -eq 0 ]; then
	tar -cf in.tar -C /usr/share zoneinfo/Africa zoneinfo/America
	set -- tar -xf in.tar
fi
smtool record -q --slab --page -o whole.tar.zst -- "$@"
smtool dump --no-symbols -f jsonl whole.tar.zst | grep -o '"0x[0-9a-f]*"' | tr -d '"' | sort -u |
	sed 's/^0x/0000000000000000/; s/.*\(................\)$/\1 ~/' >ips
smtool dump --events -f csv whole.tar.zst | cut -d , -f 3 | sort -u >pids
mkdir all
tar --zstd -xf whole.tar.zst -C all
cd all
# By address; a group of aliases stays where an address of a stack follows it, as do its neighbours.
LC_ALL=C sort ../ips proc/kallsyms | awk '
	$2 == "~" { near[n - 1] = near[n] = near[n + 1] = 1; next }
	$1 != address { n++; address = $1 }
	{ group[NR] = n; line[NR] = $0 }
	$3 ~ /^_(text|stext|etext|sinittext|einittext|end)$/ { near[n] = 1 }
	END { for (i = 1; i <= NR; i++) if (near[group[i]]) print line[i] }
' >../kallsyms
awk 'NR == FNR { wanted[$1] = 1; next } $1 in wanted' ../pids sys/kernel/tracing/saved_cmdlines >../comms
mv ../kallsyms proc/kallsyms
mv ../comms sys/kernel/tracing/saved_cmdlines
rm -f sys/kernel/tracing/saved_tgids proc/version
tar --sort=name --owner=0 --group=0 --numeric-owner -cf - ./* | zstd -q -19
