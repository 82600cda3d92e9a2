# What is cut short, or makes no sense
try()
{
	echo "== $1"
	smtool top -f csv "$1" | cut -d , -f 5-
	smtool check "$1" | sed 's/^note: size.*//'
}
partial()
{
	smtool info "$1" >/dev/null 2>&1
	[ $? = "$2" ] || echo "$1: status isn't $2"
}
head -n 30 page_owner.txt >line.txt
head -c 1500 page_owner.txt >middle.txt
head -n -1 page_owner.txt >end.txt
sed 's/order 2/order two/' page_owner.txt >order.txt
sed 's/order 2/order 99/' page_owner.txt >large.txt
sed 's/0x52cc0/0x52cc0123456789abcdef/' page_owner.txt >mask.txt
sed 's/ts 2500000000/ts 99999999999999999999/' page_owner.txt >time.txt
sed 's/: 16$/: 99999999999999999999/' show_stacks.txt >pages.txt
sed 's/: 16$/: -16/' show_stacks.txt >negative.txt
head -n -2 show_stacks.txt >stacks.txt
head -c -20 allocinfo.txt >tags.txt
sed 's/      28800/      -4096/' allocinfo.txt >below.txt
sed 's/      28800/9223372036854775807/' allocinfo.txt >sum.txt
cat show_stacks.txt page_owner.txt >both.txt
for file in line middle end order large mask time pages negative stacks tags below sum both; do
	try $file.txt
	partial $file.txt 3
done 2>&1
