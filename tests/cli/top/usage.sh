try()
{
	smtool top "$@"
	echo $?
}
try --by nothing le64
try --by
try --group-by nothing le64
try --nothing le64
try -f xml le64
try -n x le64
try -n -1 le64
try --pid x le64
try --cpu 99999 le64
try --order 64 le64
try --at soon le64
try --time 5 le64
try --time 2,1 le64
try --at 1 --time 1,2 le64
try --slab --page le64
try --min-size 2K --max-size 1K le64
try --min-size lots le64
try --older soon le64
try --focus 'a(b' le64
try --event nothing le64
try --gfp GFP_NOTHING le64
try le64 stack-ids
