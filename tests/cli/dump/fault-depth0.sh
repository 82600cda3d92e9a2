mkcapture --map "$DATA/gen/map-bad-depth0.txt" >map
smtool dump --no-symbols map
