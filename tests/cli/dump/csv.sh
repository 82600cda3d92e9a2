smtool dump -f csv stack-ids
