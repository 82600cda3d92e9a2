smtool dump --events -q le
