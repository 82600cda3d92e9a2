smtool diff --no-symbols -n 1 old new
smtool diff --no-symbols --json -n 1 old old-boot | grep -e unresolved_addresses -e status
