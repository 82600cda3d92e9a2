mkcapture --map "$DATA/gen/map-bad-cut-ips.txt" >map
smtool dump --lenient --no-symbols -q --json map | head -n 1
