mkcapture --map "$DATA/gen/map-bad-twice.txt" >map
smtool check --no-symbols --json map
