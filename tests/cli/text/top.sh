# page_owner of three ages, its sums, allocinfo: by what lives
for file in page_owner page_owner-5.11 page_owner-4.3 show_stacks stack_count sorted sorted-4.3 allocinfo; do
	echo "== $file"
	smtool top $file.txt
done
