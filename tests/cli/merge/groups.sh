smtool merge -q -o fleet.smp a b c
smtool top -g function fleet.smp
smtool top -g function --by median fleet.smp
smtool top -g comm fleet.smp
smtool top --older 1s fleet.smp
smtool top --focus irq_work fleet.smp
