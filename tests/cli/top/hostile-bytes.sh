# Nothing below blank but newlines, no C1, whatever the format.
for format in text csv json jsonl; do
	for group in stack function caller module comm cache; do
		smtool top -f $format -g $group hostile | tr -d '\n' | LC_ALL=C tr -cd '\000-\037\177' | wc -c
	done
done | sort -u
