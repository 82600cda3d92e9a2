# Through a pipe, and as input of the rest
smtool merge a b | smtool top -f csv - | cut -d, -f5-
smtool merge -v a b 2>messages | tar --zstd -tf -
cat messages
