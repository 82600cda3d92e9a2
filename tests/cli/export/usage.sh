try()
{
	echo "\$ smtool export $*"
	smtool export "$@"
	echo "status $?"
}
try new
try -o x.unknown new
try -f pdf new
try -f speedscope --base old new
try -f rows --base old -o x new
try -f rows new
try -f folded --normalize new
try -f folded --labels comm new
try -f pprof --labels comm,color new
try -f pprof --root comm new
try -f folded --root event,colour new
try -f svg --annotate new
try -f svg --device me new
try -f folded --by ref_count new
try -f folded --base map new
try -f folded --base old --normalize map
try -f folded --focus '(' new
try -f folded new old
