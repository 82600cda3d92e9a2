smtool timeline --page --height 6 pages
