mkcapture --map "$DATA/gen/map-bad-twice.txt" >map
smtool dump --lenient --no-symbols map
