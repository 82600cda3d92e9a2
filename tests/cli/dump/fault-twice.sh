mkcapture --map "$DATA/gen/map-bad-twice.txt" >map
smtool dump --no-symbols map
