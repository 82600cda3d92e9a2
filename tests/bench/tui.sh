# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# For tests/bench/run, whose functions it uses: how soon `browse` shows a full map, and answers keys.
# shellcheck disable=SC2154 # run sets them

# A fixed list of keys, at random from what one does: a phrase a line, of which each word is one key. It
# never leaves the program (q, or Esc where nothing is to be left, which does nothing).
tui_keys()
{
	awk -v phrases="$1" '
	function any(n) {
		seed = (seed * 1103515245 + 12345) % 2147483648
		return int(seed / 65536) % n
	}
	BEGIN {
		seed = 2026
		# Moving is most of it.
		n = split("down up j k pgdn pgup pgdn pgup home end G < right left l h", move, " ")
		m = split("enter,esc|enter,pgdn,esc|/,f,f,enter,n,N,n|/,0,x,enter,n,n,N|s,enter|s,down,enter|" \
			"g,down,enter,down,g,home,enter|t,down,right,down,i,down,left,t|" \
			"t,e,pgdn,c,t|x,enter,right,enter,esc,x|F,F|p,down,esc|d,esc|m,down,M|" \
			"?,pgdn,esc|:,g,r,tab,esc|:,t,o,p,enter|f,esc|f,n,r,=,1,esc|v,down,esc|" \
			"L,esc|y,esc|w,esc|T,right,left,T|ctrl-l", view, "|")
		for (i = 0; i < phrases; i++) {
			if (any(3)) {
				for (k = any(8); k >= 0; k--)
					printf "%s ", move[1 + any(n)]
			} else {
				text = view[1 + any(m)]
				gsub(/,/, " ", text)
				printf "%s", text
			}
			print ""
		}
	}'
}

# typed NAME COLUMN: a time of typist in ms
typed()
{
	awk -v name="$1" -v n="$2" '$1 == name { printf "%.1f", $(n + 1) / 1e6 }' "$tmp/typed"
}

part_tui()
{
	big_map || return 1
	tui_keys 300 >"$tmp/keys"
	mkdir -p "$tmp/tui"
	echo "tui: $MAP_STACKS stacks of depth $MAP_DEPTH; $(load)"
	(
		cd "$tmp/tui" && unset LINES COLUMNS && TERM=xterm-256color typist "$BENCH_ROUNDS" ../keys \
			'exec smtool browse --by ref_count --no-symbols ../map' \
			'exec smtool top -q --by ref_count --no-symbols -n 1 ../map'
	) >"$tmp/typed" 2>"$tmp/err" || {
		cat "$tmp/err"
		return 1
	}
	row 'browse a full map: first screen' "$(typed start 2) ms ($(typed start 1)..$(typed start 3))" \
		"top -n 1 $(typed read 2) ms" "+$(typed after 2) ms" '+< 100 ms' \
		"$(verdict "$(typed after 2) < 100")"
	row '  all done' "$(typed idle 2) ms ($(typed idle 1)..$(typed idle 3))" '' '' '' ''
	row "  $(awk '$1 == "keys" { print $2 }' "$tmp/typed") keys answered, 99 of 100" \
		"$(typed answer 2) ms" "median $(typed answer 1) ms, most $(typed answer 3) ms" '' \
		'< 16 ms' "$(verdict "$(typed answer 2) < 16")"
	row '    all done that they ask for' "$(typed settled 2) ms" \
		"median $(typed settled 1) ms, most $(typed settled 3) ms" '' '' ''
	echo 'tui: the slowest keys, ms to the first output and until all is done:'
	awk '$1 == "late" { printf "  %s %.1f %.1f (key %d)\n", $2, $3 / 1e6, $4 / 1e6, $5 }' "$tmp/typed"
}
