smtool top -q -g event corrupt
