smtool dump --events -f csv --time 0.001004,0.001007 --event kmalloc stack-ids | head -n 3
smtool dump --events -f csv --event kfree stack-ids | tail -n 1
