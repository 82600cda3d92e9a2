smtool dump --no-symbols --id 9 stack-ids
