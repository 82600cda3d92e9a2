# No line of the plot is wider than said, and some are as wide; nothing is cut off by a pipe.
widest()
{
	awk '/^ *([0-9.]+ [KM]?i?B|0)?[|+]/ { if (length > most) most = length } END { print most }'
}
export LC_ALL=C
for width in 24 40 79 100 300; do
	smtool timeline --total --width $width data/demo.tar.zst | widest
done
smtool timeline --total data/demo.tar.zst | widest
COLUMNS=64 smtool timeline --total data/demo.tar.zst | widest
env -u COLUMNS smtool timeline --total data/demo.tar.zst | widest
COLUMNS=many smtool timeline --total -o out data/demo.tar.zst && widest <out
# Points that were asked for: wide columns, or several in one.
smtool timeline --width 53 --points 4 --total --height 4 data/demo.tar.zst | head -n 7
smtool timeline --width 53 --points 1000 --total --height 4 data/demo.tar.zst | head -n 7
