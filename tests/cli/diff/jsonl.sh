smtool diff -f jsonl old new
