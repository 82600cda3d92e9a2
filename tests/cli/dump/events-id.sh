smtool dump --events --id 6 --id 77 stack-ids
