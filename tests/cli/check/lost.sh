smtool check lost
