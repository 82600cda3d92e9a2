for name in le64 stack-ids hostile corrupt pages instance two-instances truncated lost no-stack; do
	mkcapture "$DATA/gen/$name.txt" $name
done
for name in le be bad-cut-ips bad-magic; do
	mkcapture --map "$DATA/gen/map-$name.txt" >map-$name
done
