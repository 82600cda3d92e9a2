for args in '' old '- -' '--fdr 2 old new' '--fdr x old new' '--match hash old new' '--by nothing old new' \
	'--slab --page old new' '--by ref_count old new' 'pages old' '--vmlinux setup.sh old new'; do
	# shellcheck disable=SC2086 # several words
	smtool diff $args
	echo "$?"
done
