smtool top --page pages
