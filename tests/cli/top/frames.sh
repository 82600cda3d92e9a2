smtool top --focus mod_open -f csv le64 | cut -d, -f6,13-
smtool top --ignore 'do_work|irq' -f csv le64 | cut -d, -f6,13-
smtool top --hide 'work|open' -f csv le64 | cut -d, -f6,13-
smtool top --no-skip -n 1 -f csv le64 | cut -d, -f6,13-
