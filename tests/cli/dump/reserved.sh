# Ignored, but told of with -v.
mkcapture --map "$DATA/gen/map-reserved.txt" >map
smtool dump -v --no-symbols --id 9 map
