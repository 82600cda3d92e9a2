# The kernel's own names of the frames of the same buffer, those of a module included. It looks up the
# address itself, which is behind the call, smtool the call: they differ where a call is the last
# instruction of its function.
gzip -dc data/stackmap/names.trace.gz | sed -n 's/^ => \(.*\) <[0-9a-f]*>$/\1/p' | sort -u >wanted
smtool top --event '*' --by count --no-skip --no-inlines -n 0 -f csv data/stackmap/names.tar.zst | sed 1d |
	sed 's/.*,//' | tr ';' '\n' | sort -u >got
comm -3 wanted got
echo "$(comm -12 wanted got | wc -l) of $(wc -l <wanted), $(grep -c '\[stackmap_test\]' got) of a module"
