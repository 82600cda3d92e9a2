smtool top le64 >/dev/full
