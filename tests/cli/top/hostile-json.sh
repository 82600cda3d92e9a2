smtool top --group-by cache --json hostile | grep label
smtool top --json hostile | grep '"symbol"\|"module": "'
