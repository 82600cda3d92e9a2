mkcapture --map "$DATA/gen/map-bad-fewer.txt" >map
smtool dump --no-symbols map
