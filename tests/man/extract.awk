# SPDX-License-Identifier: GPL-2.0-or-later
#
# Takes the blocks marked `.\" EXAMPLE-TEST` out of a man page: dir/block-LINE/N.command and
# N.expected for the Nth command of the block whose .EX stands on LINE.

function plain(text)
{
	gsub(/\\f(\[[A-Z]*\]|[A-Z])/, "", text)
	gsub(/\\&/, "", text)
	gsub(/\\-/, "-", text)
	gsub(/\\\(aq/, "'", text)
	gsub(/\\\(dq/, "\"", text)
	gsub(/\\\(ga/, "`", text)
	gsub(/\\\(ha/, "^", text)
	gsub(/\\\(ti/, "~", text)
	gsub(/\\ /, " ", text)
	gsub(/\\(e|\(rs)/, "\\", text)
	return text
}

function fault(what)
{
	printf "not ok %s:%d: %s\n", FILENAME, FNR, what
}

/^\.\\" EXAMPLE-TEST/ {
	marked = FNR
	next
}
marked && !inside {
	if ($0 !~ /^\.EX/) {
		fault("EXAMPLE-TEST isn't followed by .EX")
		marked = 0
		next
	}
	inside = 1
	n = 0
	block = dir "/block-" FNR
	system("mkdir " block)
	print "block-" FNR >(dir "/blocks")
	next
}
inside && /^\.EE/ {
	marked = inside = continued = 0
	next
}
inside && /^\.\\"/ { next }
inside && /^[.']/ {
	fault("a macro in an example that is tested (for output, write \\& before the dot)")
	next
}
inside {
	line = plain($0)
	if (continued) {
		print line >command
	} else if (line ~ /^\$ /) {
		n++
		command = block "/" n ".command"
		expected = block "/" n ".expected"
		print substr(line, 3) >command
		printf "" >expected
	} else if (n) {
		print line >expected
	} else {
		fault("output before the first command")
	}
	continued = (continued || line ~ /^\$ /) && line ~ /\\$/
}
END {
	if (inside)
		fault("no .EE")
}
