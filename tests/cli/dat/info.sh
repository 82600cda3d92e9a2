for name in v6 v7-zstd v7-none; do
	smtool info data/dat/$name.dat
done
smtool info --instance slab data/dat/v7-buffers.dat
