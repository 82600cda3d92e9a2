# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Who may include what. A room of lib/: its own and earlier rooms' public headers, and its own private
# ones. A public header: earlier rooms' (base in all). cmd/: public headers and its own; ncurses in
# cmd/tui alone.

grep -E '^(lib|cmd|include)/.*\.[ch]$' "$SM_FILES" >"$SM_FILES.c" || {
	echo 'no sources'
	exit 77
}
# shellcheck disable=SC2016 # awk's, not the shell's
tr '\n' '\0' <"$SM_FILES.c" | xargs -0 awk '
function bad(why) {
	printf "%s:%d: %s: %s\n", FILENAME, FNR, header, why
	faults++
}
function exists(path,    line, there) {
	if (!(path in seen)) {
		seen[path] = (getline line <path) >= 0
		close(path)
	}
	return seen[path]
}
BEGIN {
	n = split("base source record profile symbol table view", rooms, " ")
	for (i = 1; i <= n; i++)
		order[rooms[i]] = i
	# Public headers that share a room with another
	order["recorder"] = order["source"]
	order["imported"] = order["record"]
	order["timeline"] = order["live"] = order["profile"]
	order["export"] = order["plot"] = order["view"]
	order["diff"] = order["merge"] = order["tree"] = order["table"]
}
FNR == 1 {
	n = split(FILENAME, part, "/")
	top = part[1]
	room = part[2]
	sub(/\.h$/, "", room)
	dir = FILENAME
	sub(/\/[^\/]*$/, "", dir)
	if (top == "include") {
		room = part[3]
		sub(/\.h$/, "", room)
	}
	if (top != "cmd" && !(room in order)) {
		header = room
		bad("no such room: this lint, and HACKING.md, list them")
		nextfile_room = 1
	} else {
		nextfile_room = 0
	}
}
nextfile_room { next }
/^[ \t]*#[ \t]*include/ {
	header = $0
	sub(/^[^<"]*/, "", header)
	sub(/[^>"]*$/, "", header)
	name = substr(header, 2, length(header) - 2)
	if (header ~ /^<smtool\//) {
		other = name
		sub(/^smtool\//, "", other)
		sub(/\.h$/, "", other)
		if (!(other in order))
			bad("no such room")
		else if (top == "lib" && order[other] > order[room])
			bad("room " other " comes after " room)
		else if (top == "include" && (order[other] > order[room] || other == room))
			bad("room " other " does not come before " room)
	} else if (header ~ /^</) {
		if (name ~ /curses|^panel\.h|^menu\.h|^form\.h/ && FILENAME !~ /^cmd\/tui\//)
			bad("ncurses belongs to cmd/tui")
	} else if (top == "include") {
		bad("a public header includes <...> alone")
	} else if (name ~ /^\.\.?\//) {
		bad("a path that goes up")
	} else if (top == "lib") {
		if (name ~ /\// || !exists(dir "/" name))
			bad("not a header of lib/" room)
	} else if (!exists("cmd/" name) && !exists(dir "/" name)) {
		bad("not a header of cmd/")
	}
}
END { exit faults > 0 }
'
