smtool dump -o out --id 5 stack-ids && cat out
