mkcapture --map "$DATA/gen/map-empty.txt" >map
smtool dump --json --no-symbols map
