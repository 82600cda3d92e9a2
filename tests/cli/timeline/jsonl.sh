smtool timeline --points 3 -n 2 -f jsonl le64
