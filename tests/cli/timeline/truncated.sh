smtool timeline --height 4 truncated
