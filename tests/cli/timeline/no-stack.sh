smtool timeline --height 4 no-stack
