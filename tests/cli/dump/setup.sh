for name in le be; do
	mkcapture --map "$DATA/gen/map-$name.txt" >"$name"
done
for name in stack-ids hostile corrupt; do
	mkcapture "$DATA/gen/$name.txt" $name
done
