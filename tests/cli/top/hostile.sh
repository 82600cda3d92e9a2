smtool top hostile
smtool top --group-by comm hostile
smtool top --group-by cache -f csv hostile
