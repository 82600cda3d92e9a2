smtool merge -o fleet.smp a
smtool merge -o fleet.smp a b
echo $?
smtool merge --force -o fleet.smp a b
smtool merge -o /dev/full a
echo $?
smtool merge a >/dev/full
echo $?
