printf 'a\n\nb\n' >list
smtool merge --inputs list -o listed.smp c
echo c | smtool merge --inputs - -o piped.smp a b
smtool merge -o none.smp
echo $?
smtool merge --inputs /nowhere -o none.smp
echo $?
ls ./*.smp
