mkcapture --map "$DATA/gen/map-bad-more.txt" >map
smtool dump --no-symbols map
