mkcapture --map "$DATA/gen/map-bad-cut-header.txt" >map
smtool dump --no-symbols map
