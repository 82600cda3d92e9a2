smtool merge -q --of bytes_req -o req.smp a b
smtool top --by median -n 1 req.smp
smtool merge -q -o live.smp a b
# spreads of different metrics can't become one
smtool merge -o both.smp req.smp live.smp
echo $?
smtool merge --of machines -o x.smp a
echo $?
