smtool dump --events --json --time 0.001004,0.001005 stack-ids
