smtool top no-stack
