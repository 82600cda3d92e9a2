smtool diff old new
