# `top --at` tells of each point what the timeline shows.
for options in '' '--page' '--focus ext4'; do
	# shellcheck disable=SC2086 # words are options
	smtool timeline --total --points 6 -f csv $options data/demo.tar.zst | sed 1d |
		while IFS=, read -r ts value _; do
			ns=${ts#"${ts%?????????}"}
			top=$(smtool top --at "${ts%"$ns"}.$ns" --json $options data/demo.tar.zst |
				awk -F '[:,]' '/"live_bytes":/ { print $2 + 0; exit }')
			[ "$top" = "$value" ] || echo "$options $ts: $top, not $value"
		done
done
