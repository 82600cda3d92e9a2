smtool dump --events -f folded stack-ids
