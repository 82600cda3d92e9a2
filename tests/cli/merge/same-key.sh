# A stack's key is that of each capture.
smtool merge -o fleet.smp a b c
for input in a b c fleet.smp; do
	smtool top --by live_bytes -f csv $input | cut -d, -f3
done | sort | uniq -c
