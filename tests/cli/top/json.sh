smtool top --json -n 1 stack-ids
