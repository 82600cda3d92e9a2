# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# For tests/bench/run, whose functions it uses: two full maps compared. There is no peer that compares
# stacks of so many frames; the ratio is to reading both maps as `top` does.
# shellcheck disable=SC2154 # run sets them

part_diff()
{
	big_map || return 1
	[ -e "$tmp/map-other" ] || mkcapture --big-map "$MAP_STACKS" "$MAP_DEPTH" 2 "$tmp/map-other"
	echo "diff: two maps of $MAP_STACKS stacks of depth $MAP_DEPTH; $(load)"
	# shellcheck disable=SC2016 # expands in the inner shell
	stopwatch 3 smtool diff -q --no-symbols "$tmp/map" "$tmp/map" : \
		smtool diff -q --no-symbols "$tmp/map" "$tmp/map-other" : \
		sh -c 'smtool top -q --no-symbols "$0"; smtool top -q --no-symbols "$1"' \
		"$tmp/map" "$tmp/map-other" >"$times" || return 1
	row 'diff of two equal full maps' \
		"$(calc "$(median_of 1) / 1e6") ms ($(spread 1)), $(calc "$(rss_of 1) / 1024" '%.0f MiB')" \
		"top of both $(calc "$(median_of 3) / 1e6") ms" \
		"$(calc "$(median_of 1) / $(median_of 3)" '%.1f') x" '' ''
	row 'diff of two full maps that share nothing' \
		"$(calc "$(median_of 2) / 1e6") ms ($(spread 2)), $(calc "$(rss_of 2) / 1024" '%.0f MiB')" \
		"top of both $(calc "$(median_of 3) / 1e6") ms" \
		"$(calc "$(median_of 2) / $(median_of 3)" '%.1f') x" '' ''
}
