echo '{"format": "smtool-capture", "version": 1, "map_generation": "reset during capture"}' \
	>stack-ids/smtool.json
smtool check stack-ids | grep -v ^warning
