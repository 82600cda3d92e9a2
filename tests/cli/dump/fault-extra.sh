mkcapture --map "$DATA/gen/map-bad-extra.txt" >map
smtool dump --no-symbols map
