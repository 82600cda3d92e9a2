# Frames that have names and no addresses
smtool merge -q -o fleet.smp old new
touch -d 2026-01-02T03:04:05Z fleet.smp
smtool export -f folded fleet.smp
smtool export -f folded --base old --by live_bytes fleet.smp
smtool export -f rows -o fleet fleet.smp
cat fleet.stacks.jsonl
smtool export -f pprof --by bytes fleet.smp | gzip -dc | od -An -v -w24 -c
smtool export -f folded --by machines fleet.smp
