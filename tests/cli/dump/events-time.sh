smtool dump --events --time 0.001001,0.001002 stack-ids
echo --
smtool dump --events --time 90%-100% stack-ids
echo --
smtool dump --events --time ,+0 stack-ids
