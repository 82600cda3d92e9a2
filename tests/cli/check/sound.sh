smtool check le64
