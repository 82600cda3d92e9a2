smtool dump --id five stack-ids
