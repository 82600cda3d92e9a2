smtool dump -q --id 9 le
