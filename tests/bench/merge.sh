# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154 # `run` sets them
#
# Many captures as one profile: the project's own ones, again and again, each a machine. The peer is
# the kernel's part of it, reading each file once with cat.

: "${BENCH_MACHINES:=1000 10000}"

part_merge()
{
	for n in $BENCH_MACHINES; do
		i=0
		while [ $i -lt "$n" ]; do
			for name in demo stackmap/record stackmap/plain stackmap/full; do
				echo "$SM_SRC/tests/data/$name.tar.zst"
			done
			i=$((i + 4))
		done >"$tmp/captures"
		# shellcheck disable=SC2016 # expands in the inner shell
		stopwatch 1 smtool merge -q --force --inputs "$tmp/captures" -o "$tmp/fleet.smp" : \
			sh -c 'xargs cat <"$1" >/dev/null' sh "$tmp/captures" >"$times" || return 1
		row "merge $n captures" "$(calc "$(min_of 1) / 1e9" '%.1f') s" \
			"cat $(calc "$(min_of 2) / 1e9" '%.2f') s" \
			"$(calc "$(min_of 1) / $n / 1e6" '%.1f') ms each" '' ''
		row '  peak memory' "$(calc "$(rss_of 1) / 1024" '%.1f') MiB" '' '' '' ''
	done
	stopwatch 3 smtool top -q "$tmp/fleet.smp" : cat "$tmp/fleet.smp" >"$times" || return 1
	row '  top of the profile' "$(calc "$(min_of 1) / 1e6" '%.1f') ms" '' '' '' ''
	rm -f "$tmp/captures" "$tmp/fleet.smp"
}
