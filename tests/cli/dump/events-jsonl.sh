smtool dump --events -f jsonl stack-ids | sed -n "1p;5p;6p;9p"
