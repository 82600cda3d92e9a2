#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The script that README.md and smtool-capture(5) give to those who have no smtool on a machine: as it
# stands there, it makes a capture that smtool finds sound.

: "${SMTOOL:=smtool}"
instance=/sys/kernel/tracing/instances/by-hand

# result NAME STATUS
result()
{
	if [ "$2" = 0 ]; then
		echo "ok $1"
	else
		echo "not ok $1"
		sed 's/^/  /' out
	fi
}

awk '/^```sh$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$SM_SRC/README.md" >by-hand.sh
awk '
	/^\.SH/ { section = $0 }
	section != ".SH BY HAND" { next }
	/^\.EE/ { exit }
	inside {
		gsub(/\\\(dq/, "\"")
		gsub(/\\\(aq/, "\047")
		gsub(/\\-/, "-")
		gsub(/\\e/, "\\")
		gsub(/    /, "\t")
		print
	}
	/^\.EX/ { inside = 1 }
' "$SM_SRC/man/smtool-capture.5" >manual.sh
diff -u by-hand.sh manual.sh >out 2>&1 && [ -s by-hand.sh ]
result 'the same in README.md and in smtool-capture(5)' $?

if [ ! -d /sys/kernel/tracing/instances ] || [ ! -d /sys/kernel/tracing/events/kmem ]; then
	echo 'skip a capture by hand: no tracefs with instances and kmem events'
	exit 0
fi
if [ -e $instance ]; then
	echo "skip a capture by hand: there is an instance of its name already"
	exit 0
fi

# run NAME DIR SHELL...: records while something is allocated
run()
{
	name=$1 dir=$2
	shift 2
	find /usr/lib -maxdepth 2 -name nothing >find.out 2>&1 &
	"$@" by-hand.sh 1 "$dir" >out 2>&1
	result "$name: a capture" $?
	wait
	[ ! -e $instance ]
	result "$name: leaves no instance" $?
	# A busy machine may overwrite events; a page that is missing would be another warning.
	"$SMTOOL" check "$dir" >out 2>&1 &&
		! grep -v '^note: \|^ok\|: events lost: \|: no kernel symbols: ' out >diff.out
	result "$name: is sound" $?
	tar -cf "$dir.tar" -C "$dir" . && "$SMTOOL" top -f csv -n 1 "$dir.tar" >out 2>&1 &&
		grep -q '^1,,0x[0-9a-f]*,,[1-9]' out
	result "$name: has bytes and stacks" $?
}

run sh one sh
for box in busybox toybox; do
	if ! command -v $box >/dev/null 2>&1; then
		echo "skip $box: not here"
		continue
	fi
	mkdir $box-tools
	for tool in sh cat mkdir rmdir sleep mount; do
		ln -s "$(command -v $box)" "$box-tools/$tool"
	done
	# toybox often comes without its shell
	shell=$(command -v sh)
	[ $box = toybox ] || shell=$PWD/$box-tools/sh
	run $box $box env PATH="$PWD/$box-tools" "$shell"
done

# timeout signals its whole process group, as Ctrl-C does.
timeout -s INT 2 sh by-hand.sh 60 stopped >out 2>&1
[ ! -e $instance ]
result 'stopped half-way: leaves no instance' $?
