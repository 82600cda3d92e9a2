smtool top --json -n 1 map-le
