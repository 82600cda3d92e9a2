smtool dump --events --comm reader stack-ids
smtool dump --events --pid 7 stack-ids
smtool dump --events --cpu 3 -f json stack-ids
