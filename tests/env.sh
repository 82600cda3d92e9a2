# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Sourced by each runner: where things are, and an environment that doesn't depend on whose it is.
# SM_SRC and SM_BUILD come from make; a runner started by hand takes build/ of its own tree.

set -u
umask 022
if [ -z "${SM_SRC:-}" ]; then
	SM_SRC=$(cd "$(dirname "$0")" && pwd)
	while [ ! -e "$SM_SRC/configure" ]; do
		SM_SRC=${SM_SRC%/*}
	done
fi
: "${SM_BUILD:=$SM_SRC/build}"
DATA=$SM_SRC/tests/data
PATH=$SM_BUILD:$SM_BUILD/tests:$SM_BUILD/tests/bench:$SM_BUILD/tests/tui:$PATH
LC_ALL=C.UTF-8 TZ=UTC COLUMNS=100 LINES=30 TERM=dumb
ASAN_OPTIONS=detect_leaks=1:max_allocation_size_mb=4096
UBSAN_OPTIONS=print_stacktrace=1
# Debug files of this machine are none of the tests' business.
SMTOOL_SYSROOT=/nonexistent
export SMTOOL_SYSROOT
export SM_SRC SM_BUILD DATA PATH LC_ALL TZ COLUMNS LINES TERM ASAN_OPTIONS UBSAN_OPTIONS
unset NO_COLOR PAGER LESS XDG_CACHE_HOME XDG_CONFIG_HOME DEBUGINFOD_URLS

jobs=$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)

# A directory of this runner's own, gone at its end; HOME is in it.
make_tmp()
{
	tmp=$(mktemp -d "${TMPDIR:-/tmp}/smtool-test.XXXXXX") || exit 1
	trap 'rm -rf "$tmp"' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	HOME=$tmp/home
	mkdir "$HOME" || exit 1
	export HOME
}

# limited SECONDS COMMAND...: status 124 when it took too long
limited()
{
	if command -v timeout >/dev/null 2>&1; then
		timeout -k 5 "$@"
	else
		shift
		"$@"
	fi
}

# Runs this runner again with `--one NAME` for each line NAME of stdin, on all cores, and prints what
# they say in the order of the names.
in_parallel()
{
	mkdir "$tmp/out" || exit 1
	cat -n | sed 's/^ *//' >"$tmp/names"
	# shellcheck disable=SC2016 # expands in the inner shell
	tr '\t' '\n' <"$tmp/names" | xargs -P "$jobs" -n 2 sh -c '
		sh "$0" --one "$3" "$1/$2.dir" >"$1/$2" 2>&1 </dev/null ||
			echo "not ok $3: its runner failed" >>"$1/$2"
	' "$0" "$tmp/out"
	while read -r number _; do
		cat "$tmp/out/$number"
	done <"$tmp/names"
}
