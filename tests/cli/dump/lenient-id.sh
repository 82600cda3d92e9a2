mkcapture --map "$DATA/gen/map-bad-id.txt" >map
smtool dump --lenient --no-symbols map
