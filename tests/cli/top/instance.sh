smtool top -f csv instance | cut -d, -f6
smtool top --instance b -f csv two-instances | cut -d, -f6
smtool top --instance mem -f csv instance | cut -d, -f6
