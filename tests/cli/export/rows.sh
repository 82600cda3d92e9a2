touch -d 2026-01-02T03:04:05Z map lines
mkdir out
smtool export -f rows -o out --device box-1 new
cat out/stacks.jsonl out/facts.jsonl
smtool export -f rows -o map -q map
cat map.stacks.jsonl map.facts.jsonl
smtool export -f rows -o pages --page new
cat pages.facts.jsonl
smtool export -f rows -o made --vmlinux elf/vmlinux lines
cat made.stacks.jsonl
