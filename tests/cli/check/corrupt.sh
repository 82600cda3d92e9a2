smtool check corrupt
