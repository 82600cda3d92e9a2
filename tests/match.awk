# SPDX-License-Identifier: GPL-2.0-or-later
#
# awk [-v stars=1] -f match.awk PATTERN ACTUAL
# Status 0 when the lines of ACTUAL match those of PATTERN; else the first line that doesn't is shown.
# A pattern line `...` stands for any number of lines; with stars=1 a `*` for any characters.

function matches(p, line)
{
	if (!stars || !index(pattern[p], "*"))
		return pattern[p] == line
	return line ~ regex[p]
}

FILENAME == ARGV[1] {
	pattern[++np] = $0
	text = $0
	gsub(/[][\\.^$+?(){}|]/, "\\\\&", text)
	gsub(/\*/, ".*", text)
	regex[np] = "^" text "$"
	next
}
{ actual[++na] = $0 }

END {
	p = a = 1
	dots = 0
	far = 0
	while (a <= na) {
		if (p <= np && pattern[p] == "...") {
			dots = p++
			mark = a
		} else if (p <= np && matches(p, actual[a])) {
			p++
			a++
			if (a > far) {
				far = a
				want = p
			}
		} else if (dots) {
			p = dots + 1
			a = ++mark
		} else {
			break
		}
	}
	while (p <= np && pattern[p] == "...")
		p++
	if (a > na && p > np)
		exit 0
	if (!far) {
		far = 1
		want = 1
	}
	if (want > np)
		printf "unexpected line %d: %s\n", far, actual[far]
	else if (far > na)
		printf "ends where this was expected: %s\n", pattern[want]
	else
		printf "line %d: %s\nexpected: %s\n", far, actual[far], pattern[want]
	exit 1
}
