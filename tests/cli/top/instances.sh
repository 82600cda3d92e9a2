smtool top two-instances
