# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Every script of ours, through shellcheck. Cases of tests/cli have no #! line: they are sh.

if ! command -v shellcheck >/dev/null 2>&1; then
	echo 'no shellcheck here'
	exit 77
fi
status=0
grep -E '\.sh$|(^|/)(run|check|configure)$' "$SM_FILES" | grep -Ev '^tests/(data|fuzz/corpus)/' \
	>"$SM_FILES.scripts"
grep -E '^tests/cli/.*\.sh$' "$SM_FILES.scripts" >"$SM_FILES.cases"
grep -E '^kernel/guest/.*\.sh$' "$SM_FILES.scripts" >"$SM_FILES.guests"
grep -Ev '^(tests/cli|kernel/guest)/.*\.sh$' "$SM_FILES.scripts" >"$SM_FILES.others"
tr '\n' '\0' <"$SM_FILES.others" | xargs -0 shellcheck -f gcc -x -P SCRIPTDIR || status=1
if [ -s "$SM_FILES.cases" ]; then
	tr '\n' '\0' <"$SM_FILES.cases" | xargs -0 shellcheck -f gcc -s sh || status=1
fi
# They source /guest/functions, whose place is another one here, and which uses what they set.
if [ -s "$SM_FILES.guests" ]; then
	tr '\n' '\0' <"$SM_FILES.guests" | xargs -0 shellcheck -f gcc -e SC1091,SC2154 || status=1
fi
exit $status
