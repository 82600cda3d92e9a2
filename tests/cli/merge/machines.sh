# 300, 1000, 10000 by do_work; 64 each by irq_work: matched though KASLR moved them
smtool merge -o fleet.smp a b c
smtool top fleet.smp
# ranked by machines, median and p95 of live_bytes a machine
for key in machines median p95; do
	smtool top --by $key -f csv fleet.smp | cut -d, -f1,4-
done
smtool top --json -n 1 fleet.smp | grep -A 16 totals
