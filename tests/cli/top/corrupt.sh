smtool top -g event corrupt
