# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154 # `run` sets them
#
# Files for other tools. What is counted is the same as for `top`, the peer: what it takes longer is the
# format's. Then a full map, whose stacks are all different.

# export_row WHAT FORMAT LINE: of the last measurement, whose first command is the peer
export_row()
{
	row "$1" "$(calc "$(median_of "$3") / 1e9" '%.2f') s ($(spread "$3")), $(calc \
		"$(rss_of "$3") / 1024") MiB" "top $(calc "$(median_of 1) / 1e9" '%.2f') s" \
		"$(calc "$(median_of "$3") / $(median_of 1)" '%.2f') x" '' ''
	row '  size' "$(bytes_of "$tmp/file.$2") bytes" '' '' '' ''
}

# export_all INPUT WHAT
export_all()
{
	# shellcheck disable=SC2016 # expands in the inner shell
	one='exec smtool export -q --force -f "$0" -o "$1.$0" "$2"'
	stopwatch 3 smtool top -q "$1" : sh -c "$one" pprof "$tmp/file" "$1" : \
		sh -c "$one" svg "$tmp/file" "$1" : sh -c "$one" folded "$tmp/file" "$1" >"$times" ||
		return 1
	export_row "export -f pprof, $2" pprof 2
	export_row "export -f svg, $2" svg 3
	export_row "export -f folded, $2" folded 4
	if have flamegraph.pl; then
		stopwatch 1 flamegraph.pl "$tmp/file.folded" >"$times" 2>"$tmp/err" || return 1
		row '  flamegraph.pl of those' "$(calc "$(median_of 1) / 1e9" '%.2f') s, $(calc \
			"$(rss_of 1) / 1024") MiB" '' '' '' ''
	fi
	rm -f "$tmp"/file.*
}

part_export()
{
	[ -e "$tmp/real" ] || real_capture || { skip export "$why"; return; }
	repeat_real pages "$PAGES_MB" || return 1
	echo "export: $capture, repeated to $PAGES_MB MB of pages; $(load)"
	export_all "$tmp/pages" "$PAGES_MB MB of pages" || return 1
	rm -rf "$tmp/pages"
	big_map || return 1
	export_all "$tmp/map" "$MAP_STACKS stacks"
}
