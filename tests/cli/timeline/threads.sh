for threads in 1 2 5; do
	smtool timeline --threads $threads -f jsonl data/demo.tar.zst | cksum
done | uniq | wc -l
