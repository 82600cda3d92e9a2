printf 'entries: 18\noverrun: 3\ncommit overrun: 0\nbytes: 1308\noldest event ts:     0.001000\nnow ts:     1.000000\ndropped events: 2\nread events: 0\n' \
	>stack-ids/sys/kernel/tracing/per_cpu/cpu0/stats
smtool info stack-ids | grep -e cpu -e ^loss
smtool info --json stack-ids | grep -A 8 '"stats"'
