# Whatever it is divided by, the parts add up to the whole; and so does what came and went.
for options in '-n 0' '-n 1' '-g cache' '-g function -n 0' '--by live_count' '--by bytes' '--by count -g pid' \
	'--page -g order' '--time 20%,80%' '--focus ext4' '--ignore ext4 -n 0' '--hide ext4' '--min-size 1k'; do
	# shellcheck disable=SC2086 # words are options
	smtool timeline $options -f csv data/demo.tar.zst | awk -F , '
		NR == 1 {
			for (i = 1; i <= NF; i++)
				column[$i] = i
			next
		}
		{
			sum = 0
			for (i = column["gap"] + 1; i <= NF; i++)
				sum += $i
			bad += sum != $2
			if ("freed" in column) {
				level += $column["alloc"] - $column["freed"]
				bad += level != $2 || $column["min"] > $2 || $column["max"] < $2
			}
		}
		END { print bad + 0, (NF > 10) }'
done
