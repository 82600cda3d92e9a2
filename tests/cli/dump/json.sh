smtool dump --json stack-ids
