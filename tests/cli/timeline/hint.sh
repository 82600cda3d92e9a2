# The last line is a command; what it says is the timeline's peak.
try()
{
	hint=$(smtool timeline --points 7 "$@" | sed -n '$s/^the peak, explained: //p')
	smtool timeline --points 7 --json "$@" >json
	peak=$(awk '/"peak"/ { p = 1 } p && /"value"/ { print $2; exit }' json)
	key=$(sed -n 's/^  "by": "\(.*\)",$/\1/p' json)
	echo "$hint"
	value=$(eval "$hint --json" | sed -n "s/^    \"$key\": \([0-9]*\),*$/\1/p")
	[ "$value" = "$peak" ] || echo "$key is $value, not $peak"
}
cp -r le64 "it's one"
try le64
try "it's one"
try --by live_count --no-symbols le64
try --by bytes le64
try --by count --min-size 100 data/demo.tar.zst
try --time ,2896.33 data/demo.tar.zst
try --time +0.01, --by live_count data/demo.tar.zst
try --focus 'ext4_|x y' -g cache --comm 'tar' data/demo.tar.zst
try --page --order 0,1 -g order data/demo.tar.zst
# Nothing to explain.
smtool timeline --cache nothing le64 | tail -n 1
