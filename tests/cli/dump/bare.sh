smtool dump --no-symbols le
