touch -d 2026-01-02T03:04:05Z stack-ids
# What it means, tests/export tells; here that it stays
smtool export -f pprof new | gzip -dc | od -An -v -w24 -c
smtool export -f pprof --labels none --by ref_count stack-ids | gzip -dc | od -An -v -w24 -c
