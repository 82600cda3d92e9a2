smtool check --json le64
