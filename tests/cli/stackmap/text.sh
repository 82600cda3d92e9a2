# The kernel's own stack_map of the same moment, byte for byte.
for name in plain full reset mixed record; do
	gzip -dc data/stackmap/$name.stack_map.gz >text
	smtool dump data/stackmap/$name.tar.zst | cmp - text && echo "$name: $(grep -c '^stack_id' text) stacks"
done
