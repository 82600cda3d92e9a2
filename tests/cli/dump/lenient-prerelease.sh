# Nothing is whole before this fault.
mkcapture --map "$DATA/gen/map-bad-prerelease.txt" >map
smtool dump --lenient --no-symbols map
