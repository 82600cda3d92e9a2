smtool top -f csv stack-ids
