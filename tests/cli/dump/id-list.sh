smtool dump --id 12,6 stack-ids
