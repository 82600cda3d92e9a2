smtool diff --all old new
