mkcapture --map "$DATA/gen/map-bad-fewer.txt" >map
smtool dump --lenient --no-symbols map
