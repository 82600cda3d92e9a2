mkcapture --map "$DATA/gen/map-bad-short.txt" >map
smtool dump --no-symbols map
