# Whatever the number of threads, and in every run
for format in pprof folded speedscope firefox svg; do
	for threads in 1 4; do
		smtool export -f $format --threads $threads data/demo.tar.zst -o $format.$threads
	done
	cmp $format.1 $format.4 && echo "$format is the same"
done
