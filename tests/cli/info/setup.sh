for name in stack-ids lost corrupt hostile instance; do
	mkcapture "$DATA/gen/$name.txt" $name
done
mkcapture --map "$DATA/gen/map-be.txt" >be
