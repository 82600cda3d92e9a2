# What can't be read is said and left out; what is cut short is merged as far as it is sound.
head -c 100 a/proc/kallsyms >text
cp -r b cut
truncate -s -4000 cut/sys/kernel/tracing/per_cpu/cpu0/trace_pipe_raw
smtool merge -o fleet.smp a text missing b
echo $?
smtool merge -o cut.smp a cut
echo $?
smtool merge -o none.smp text
echo $?
smtool merge -o none.smp text missing
echo $?
ls ./*.smp
