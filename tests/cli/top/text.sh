smtool top le64
