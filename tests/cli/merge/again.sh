# Profiles of parts merge to what the whole merges to.
smtool merge -q -o whole.smp a b c other
smtool merge -q -o part1.smp a b
smtool merge -q -o part2.smp c
smtool merge -q -o parts.smp part1.smp part2.smp other
for key in live_bytes machines median p95; do
	smtool top --by $key -n 0 -f csv whole.smp >whole
	smtool top --by $key -n 0 -f csv parts.smp >parts
	cmp whole parts && wc -l <whole
done
# Two builds: their stacks are others
smtool top -f csv -n 0 whole.smp | cut -d, -f5,12-
