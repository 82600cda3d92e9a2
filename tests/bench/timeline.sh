# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154 # `run` sets them
#
# What it costs to keep the course of what `top` counts: one reading for the whole, two where it is
# divided by rows. The peer is `top` on the same pages.

timeline_row()
{
	ratio=$(calc "$(median_of "$2") / $(median_of 1)" '%.2f')
	row "timeline, $1" "$(calc "$(median_of "$2") / 1e6" '%.0f ms') ($(spread "$2"))" \
		"top $(calc "$(median_of 1) / 1e6" '%.0f ms')" "$ratio x" "<= $3 x" \
		"$(verdict "$ratio <= $3")"
	row '  peak memory' "$(calc "$(rss_of "$2") / 1024" '%.1f') MiB" \
		"top $(calc "$(rss_of 1) / 1024" '%.1f') MiB" '' '' ''
}

part_timeline()
{
	if [ ! -e "$tmp/pages" ]; then
		if [ ! -e "$tmp/real" ] && ! real_capture; then
			skip timeline "$why"
			return
		fi
		repeat_real pages "$PAGES_MB" || return 1
	fi
	echo "timeline: $capture, repeated to $PAGES_MB MB of pages; $(load)"
	stopwatch "$BENCH_ROUNDS" smtool top "$tmp/pages" : \
		smtool timeline --total -f csv "$tmp/pages" : \
		smtool timeline "$tmp/pages" : \
		smtool timeline -f svg "$tmp/pages" 2>"$tmp/err" >"$times" || {
		cat "$tmp/err"
		return 1
	}
	timeline_row 'the whole, 500 points' 2 1.5
	timeline_row 'divided, text' 3 3
	timeline_row 'divided, SVG' 4 3
}
