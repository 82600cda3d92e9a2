smtool dump -f jsonl hostile | head -n 1
