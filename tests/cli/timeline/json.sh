smtool timeline --points 3 -n 1 --json le64
