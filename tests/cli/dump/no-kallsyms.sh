smtool dump --id 9 le
