# What others named doesn't reach a terminal, or the structure of a format.
for format in text json jsonl csv svg; do
	smtool timeline -g comm --points 3 -f $format hostile >out
	tr -d '\n\t -~\200-\377' <out | wc -c
	grep -c "\\\\x1b" out
done
smtool timeline -g comm --points 2 -f csv hostile | sed 1q
