smtool dump le be
