# allocinfo tells two places of one function apart, and so does what is merged of it
cat >allocinfo.txt <<'END'
allocinfo - version: 1.0
#     <size>  <calls> <tag info>
        4096        1 mm/slub.c:100 func:alloc_slab_page
        8192        2 mm/slub.c:200 func:alloc_slab_page
END
smtool merge -q -o tags.smp allocinfo.txt allocinfo.txt
smtool top tags.smp
for input in allocinfo.txt tags.smp; do
	smtool top -f csv $input | cut -d, -f3
done | sort | uniq -c
