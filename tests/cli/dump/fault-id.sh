mkcapture --map "$DATA/gen/map-bad-id.txt" >map
smtool dump --no-symbols map
