smtool dump -f folded stack-ids
