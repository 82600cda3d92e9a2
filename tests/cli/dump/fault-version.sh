mkcapture --map "$DATA/gen/map-bad-version.txt" >map
smtool dump --no-symbols map
