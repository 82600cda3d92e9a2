smtool dump --id 12 --id 6 stack-ids
