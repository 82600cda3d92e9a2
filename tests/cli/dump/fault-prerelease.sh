mkcapture --map "$DATA/gen/map-bad-prerelease.txt" >map
smtool dump --no-symbols map
