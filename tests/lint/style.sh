# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# What each text of ours keeps to: length, blanks, licence, and nothing about a person or a machine.

findings=$SM_FILES.found
: >"$findings"
# found WHAT: lines FILE:LINE... on stdin are findings
found()
{
	sed "s|\$| <- $1|" >>"$findings"
}

grep -Ev '^(LICENSE$|tests/data/|tests/fuzz/corpus/|kernel/.*\.patch$)|\.(exact|glob|zst|gz)$' \
	"$SM_FILES" >"$SM_FILES.text"
code='\.(c|h|def|sh|awk|mk)$|(^|/)(Makefile|configure|run|check)$|^man/.*\.[1-8]$'
grep -E "$code" "$SM_FILES.text" >"$SM_FILES.code"
# Cases of tests/cli are a line or two.
grep -Ev '^tests/cli/.*\.sh$' "$SM_FILES.code" >"$SM_FILES.licensed"

# search ERE LIST: FILE:LINE: text
search()
{
	tr '\n' '\0' <"$2" | xargs -0 grep -nEI -- "$1" /dev/null
}

search '[[:blank:]]+$' "$SM_FILES.text" | found 'white space at the end'
# The brackets keep this script from finding itself.
search '(^|[^[:alnum:].])/(roo[t]|wor[k]|home/[a-z]+)/' "$SM_FILES.text" |
	found 'a path of one machine'
search '[[:alnum:]._-]+@[[:alnum:]-]+(\.[[:alnum:]-]+)*\.[a-z][a-z]+' "$SM_FILES.text" |
	found 'a mail address'
# shellcheck disable=SC2016 # awk's, not the shell's
tr '\n' '\0' <"$SM_FILES.licensed" | xargs -0 awk '
	function tell() { if (name != "" && !there) print name ":1:" }
	FNR == 1 {
		tell()
		name = FILENAME
		there = 0
		license = name ~ /^kernel\// ? "GPL-2\\.0" : "GPL-2\\.0-or-later"
	}
	FNR <= 3 && $0 ~ "SPDX-License-Identifier: " license "( \\*/)?$" { there = 1 }
	END { tell() }' | found 'no SPDX line among the first three'
# A page of the manual is as long as its command needs.
while IFS= read -r file; do
	case $file in man/*) continue ;; esac
	lines=$(wc -l <"$file")
	[ "$lines" -le 600 ] || echo "$file:$((lines)):"
done <"$SM_FILES.code" | found 'more than 600 lines: is it still one noun?'
while IFS= read -r file; do
	[ ! -s "$file" ] || [ -z "$(tail -c 1 "$file")" ] || echo "$file:"
done <"$SM_FILES.text" | found 'no newline at the end'
cat "$findings"
[ ! -s "$findings" ]
