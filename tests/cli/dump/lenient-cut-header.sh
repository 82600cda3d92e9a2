mkcapture --map "$DATA/gen/map-bad-cut-header.txt" >map
smtool dump --lenient --no-symbols map
