smtool dump -f jsonl stack-ids
