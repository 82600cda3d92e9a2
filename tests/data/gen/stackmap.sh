#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: stackmap.sh OUT
# Makes data/stackmap of what the tests of `kernel/run --out OUT` brought out: small captures, in which
# kallsyms is cut as in demo.sh, with the kernel's own text of the same moment beside them; and what
# smtool recorded in the guest, as it is. Needs smtool in PATH.

set -eu
out=$(cd "$1" && pwd)
to=$(cd "$(dirname "$0")/../stackmap" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# cut DIR: of kallsyms what the stacks need
cut_kallsyms()
{
	{
		smtool dump --no-symbols -f jsonl "$1" 2>/dev/null || :
		smtool top --no-symbols -f csv -n 0 --event '*' --by count --no-skip "$1"
	} | grep -o '0x[0-9a-f]\{16\}' | sort -u | sed 's/^0x//; s/$/ ~/' >"$work/ips"
	# By address; a group of aliases stays where an address of a stack follows it, as do its neighbours.
	LC_ALL=C sort "$work/ips" "$1/proc/kallsyms" | awk '
		$2 == "~" { near[n - 1] = near[n] = near[n + 1] = 1; next }
		$1 != address { n++; address = $1 }
		{ group[NR] = n; line[NR] = $0 }
		$3 ~ /^_(text|stext|etext|sinittext|einittext|end)$/ { near[n] = 1 }
		END { for (i = 1; i <= NR; i++) if (near[group[i]]) print line[i] }
	' >"$work/kallsyms"
	cp "$work/kallsyms" "$1/proc/kallsyms"
}

pack() # DIR ARCHIVE
{
	find "$1" -exec touch -h -d @0 {} +
	tar -C "$1" --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX -cf - . |
		zstd -q -19 -f -o "$2"
}

for name in plain full reset mixed names; do
	rm -rf "${work:?}/$name"
	cp -r "$out/$name/files/$name" "$work/$name"
	chmod -R u+w "$work/$name"
	gzip -9nc "$out/$name/files/$name.trace" >"$to/$name.trace.gz"
	[ $name = names ] ||
		gzip -9nc "$work/$name/sys/kernel/tracing/stack_map" >"$to/$name.stack_map.gz"
	# The kernel's text is beside it, and a capture needn't have it.
	rm -f "$work/$name/sys/kernel/tracing/stack_map"
	cut_kallsyms "$work/$name"
	pack "$work/$name" "$to/$name.tar.zst"
done
cp "$out/record/files/record.tar.zst" "$to/record.tar.zst"
gzip -9nc "$out/record/files/record.stack_map" >"$to/record.stack_map.gz"
mkdir "$work/cut"
zstd -qdc "$out/record/files/reset.tar.zst" | tar -x -C "$work/cut"
chmod -R u+w "$work/cut"
cut_kallsyms "$work/cut"
pack "$work/cut" "$to/record-reset.tar.zst"
ls -l "$to"
