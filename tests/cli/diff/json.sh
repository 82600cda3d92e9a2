smtool diff --json -n 2 old new
