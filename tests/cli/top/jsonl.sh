smtool top -f jsonl --no-symbols stack-ids
