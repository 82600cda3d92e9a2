# 1024, 64 (reused), 256, 192, 128, 8 in six allocations; what was freed: 256, 1024, 192
for key in count bytes bytes_req waste live_bytes live_count peak_bytes frees; do
	echo "$key"
	smtool top --by $key -f csv -n 3 le64 | cut -d, -f1,5-12
done
