touch -d 2026-01-02T03:04:05Z hostile
smtool export -f rows -o made/here/ hostile
cat made/here/stacks.jsonl made/here/facts.jsonl
