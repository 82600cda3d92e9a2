# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# The manual against the binary: each option of a command stands in its page, each option that the
# page explains (below .TP) is the command's, and each that it mentions is at least some command's.
# completion and help are explained in smtool(1).

if ! smtool completion list >"$SM_FILES.options"; then
	echo "'smtool completion list' failed"
	exit 1
fi
status=0
cut -f 1 "$SM_FILES.options" | sort -u >"$SM_FILES.commands"
while read -r command; do
	page=man/smtool-$command.1
	case $command in
	completion | help) page=man/smtool.1 ;;
	esac
	if [ ! -e "$page" ]; then
		echo "$page:1: there is no page for 'smtool $command'"
		status=1
		continue
	fi
	awk -F '\t' -v command="$command" -v page="$page" '
		FILENAME != page {
			for (i = 2; i <= 3; i++) {
				if ($i == "-")
					continue
				known[$i] = 1
				if ($1 == command)
					own[$i] = wanted[$i] = 1
			}
			next
		}
		{
			tag = tag_next
			tag_next = /^\.(TP|TQ)/
			gsub(/\\f(\[[A-Z]*\]|[A-Z])/, " ")
			gsub(/\\-/, "-")
			rest = $0
			while (match(rest, /(^|[^-[:alnum:]])--?[A-Za-z][-A-Za-z0-9]*/)) {
				name = substr(rest, RSTART, RLENGTH)
				rest = substr(rest, RSTART + RLENGTH)
				sub(/^[^-]/, "", name)
				delete wanted[name]
				if (name !~ /^--/)
					continue
				if (tag && !(name in own) && page != "man/smtool.1")
					what = "is no option of smtool " command
				else if (!(name in known) && name != "--version")
					what = "is no option of any command"
				else
					continue
				printf "%s:%d: %s %s\n", page, FNR, name, what
				faults++
			}
		}
		END {
			for (name in wanted) {
				printf "%s:1: %s is missing\n", page, name
				faults++
			}
			exit faults > 0
		}
	' "$SM_FILES.options" "$page" || status=1
done <"$SM_FILES.commands"
exit $status
