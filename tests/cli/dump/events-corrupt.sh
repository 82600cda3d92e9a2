smtool dump --events -f jsonl corrupt 2>/dev/null | wc -l
smtool dump --events corrupt >out
