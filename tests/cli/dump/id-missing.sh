smtool dump --id 5 --id 7 stack-ids
