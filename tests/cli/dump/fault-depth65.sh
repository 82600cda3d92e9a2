mkcapture --map "$DATA/gen/map-bad-depth65.txt" >map
smtool dump --no-symbols map
