mkcapture --map "$DATA/gen/map-bad-more.txt" >map
smtool dump --lenient --no-symbols map
