smtool dump --events --event kmaloc stack-ids
