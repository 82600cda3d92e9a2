# Names with escapes, quotes, newlines: made visible, valid.
smtool diff --all -n 0 le64 hostile
smtool diff --all -n 0 -f csv hostile le64
smtool diff --all -n 0 --json -g comm hostile le64 | grep label
