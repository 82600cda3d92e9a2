smtool export -f firefox --by bytes new | gzip -dc
smtool export -f firefox --by count --base old new | gzip -dc
