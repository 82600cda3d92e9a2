mkcapture --map "$DATA/gen/map-bad-cut-ips.txt" >map
smtool info map 2>/dev/null
echo $?
smtool info --lenient -q map
