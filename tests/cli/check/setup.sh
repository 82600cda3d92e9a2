for name in le64 stack-ids lost corrupt; do
	mkcapture "$DATA/gen/$name.txt" $name
done
