# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# For tests/bench/run, whose functions it uses: what `browse` makes of a full map's stacks.
# shellcheck disable=SC2154 # run sets them

# tree_row WHAT LINE MOST: a line of climber's, at most so many ms
tree_row()
{
	ms=$(awk -v what="$2" '$1 == what { printf "%.1f", $2 / 1e6 }' "$tmp/climbed")
	row "$1" "$ms ms" '' '' "${3:+<= $3 ms}" "${3:+$(verdict "$ms <= $3")}"
}

part_tree()
{
	big_map || return 1
	echo "tree: $MAP_STACKS stacks of depth $MAP_DEPTH; $(load)"
	climber "$tmp/map" >"$tmp/climbed" 2>"$tmp/err" || {
		cat "$tmp/err"
		return 1
	}
	tree_row 'where all stacks part' apart 500
	tree_row 'call tree made' new-top-down ''
	tree_row '  its root opened' root-top-down 30
	tree_row '  the way to its hottest leaf' path-top-down 30
	tree_row 'inverted tree, its root opened' root-inverted ''
	tree_row 'callers of a function' new-callers ''
	tree_row 'callees of a function' new-callees ''
}
