# One clear error each
try()
{
	smtool top "$1"
	[ $? = 1 ] || echo "status isn't 1: $1"
}
printf 'Page allocated via order\n' >a
printf 'Page allocated via order x\n\nPage allocated via order y\n\n' >b
printf ' foo+0x1/0x2\n bar+0x3/0x4\n\n' >c
printf ' foo+0x1/0x2\nhandle: 3\n\n' >d
printf 'handle: 3\nnr_base_pages: 4\n\n' >e
printf '3 times, 3 pages, PID 4\n2 times, 2 pages, PID 5\n' >f
printf 'allocinfo - version: 1.0\n#     <size>  <calls> <tag info>\nhello\n' >g
printf 'allocinfo - version: 1.0\n' >h
printf '1 2 x func:y\n' >i
printf 'Page allocated via order 0, mask 0xcc0(GFP_KERNEL), pid 1, tgid 1 (x' >j
printf 'some notes\nPage allocated via order 0\n' >k
for file in a b c d e f g h i j k; do
	try $file
done
