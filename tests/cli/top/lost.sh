smtool top -g caller lost
