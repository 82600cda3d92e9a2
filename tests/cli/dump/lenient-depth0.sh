mkcapture --map "$DATA/gen/map-bad-depth0.txt" >map
smtool dump --lenient --no-symbols map
