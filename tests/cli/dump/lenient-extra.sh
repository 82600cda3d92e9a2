mkcapture --map "$DATA/gen/map-bad-extra.txt" >map
smtool dump --lenient --no-symbols map
