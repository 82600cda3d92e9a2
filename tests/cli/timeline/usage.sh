try()
{
	smtool timeline "$@"
	echo $?
}
try --by peak_bytes le64
try --by ref_count map-le
try --points 0x le64
try --points 100001 le64
try --interval 1ns le64
try --interval soon le64
try --points 5 --interval 1s le64
try --older 1s le64
try --at peak le64
try --group-by nothing le64
try --width 20000 le64
try --height 1001 le64
try --slab --page le64
try --focus 'a(b' le64
try le64 lost
try nowhere
