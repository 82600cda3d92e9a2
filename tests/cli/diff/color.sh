smtool diff --color=always -n 2 old new
