smtool top -g event truncated
