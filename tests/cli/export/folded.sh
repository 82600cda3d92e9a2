for key in bytes count bytes_req waste live_bytes live_count peak_bytes frees; do
	echo "$key"
	smtool export -f folded --by $key new
done
echo map
smtool export -f folded map
smtool export -f folded --by ref_count stack-ids
