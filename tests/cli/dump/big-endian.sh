smtool dump --no-symbols be && smtool dump --no-symbols -f json be | head -n 1
