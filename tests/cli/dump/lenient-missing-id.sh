# What only the part behind the fault would have.
mkcapture --map "$DATA/gen/map-bad-id.txt" >map
smtool dump --lenient --no-symbols --id 524288 map
