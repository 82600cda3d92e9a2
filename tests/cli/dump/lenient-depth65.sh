mkcapture --map "$DATA/gen/map-bad-depth65.txt" >map
smtool dump --lenient --no-symbols map
