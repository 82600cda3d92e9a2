for input in le64 stack-ids corrupt pages lost; do
	for threads in 1 2 5; do
		smtool top --threads $threads -n 0 --json $input 2>/dev/null | cksum
	done | uniq | wc -l
done
