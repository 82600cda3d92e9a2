smtool dump --no-symbols - <le && head -c 1000 be | smtool dump --no-symbols --id 9 -
