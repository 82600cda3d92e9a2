smtool diff --page --all -n 2 pages pages
smtool diff --all -f csv --page pages le64
