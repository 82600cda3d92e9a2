smtool top --by ref_count le64
