smtool top --instance c two-instances
