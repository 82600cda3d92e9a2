mkcapture --map "$DATA/gen/map-bad-cut-ips.txt" >map
smtool dump --no-symbols map
