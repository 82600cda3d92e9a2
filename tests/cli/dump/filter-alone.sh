smtool dump --pid 100 stack-ids
