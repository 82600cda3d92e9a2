# In a capture: alone, nothing would tell that it is to be a map.
mkcapture "$DATA/gen/map-bad-magic.txt" map
smtool dump --no-symbols map
