cat >known.txt <<'END'
# what is known
^do_work$	# the test's own leak

\[testmod\]$ # not ours
do_ # comes too late, but matches
nowhere # old
sys_call
END
smtool diff --suppress known.txt -g caller old new
smtool diff -v -q --suppress known.txt -n 1 old new
smtool diff -q --json --suppress known.txt old new | sed -n '/"suppressed"/,/^  }/p'
printf 'fine # yes\n(broken # no\n' >bad.txt
smtool diff --suppress bad.txt old new
echo $?
smtool diff --suppress missing.txt old new
