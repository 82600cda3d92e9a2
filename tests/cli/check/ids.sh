smtool check stack-ids
