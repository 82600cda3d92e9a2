smtool dump -f csv hostile | tail -n +4
