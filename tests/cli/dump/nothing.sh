mkdir empty
smtool dump empty
