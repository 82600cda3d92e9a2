smtool dump -f folded hostile
