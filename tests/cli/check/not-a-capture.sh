echo hello >file
smtool check file
echo $?
smtool check --json nowhere
