smtool top --json stack-ids >/dev/full
