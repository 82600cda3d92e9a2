# The kernel's own stack_map of the same moment, byte for byte.
for name in plain full reset mixed; do
	smtool dump data/stackmap/$name.tar.zst | cmp - data/stackmap/$name.stack_map &&
		echo "$name: $(grep -c '^stack_id' data/stackmap/$name.stack_map) stacks"
done
