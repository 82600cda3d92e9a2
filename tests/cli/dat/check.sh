for name in v6 v6-buffers v7-zstd v7-none v7-buffers; do
	smtool check data/dat/$name.dat
done
