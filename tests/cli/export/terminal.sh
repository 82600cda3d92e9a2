# Nothing binary goes there, text does.
script -qec 'smtool export -f pprof new; echo "status $?"' /dev/null | tr -d '\r'
script -qec 'smtool export -f firefox -o - new; echo "status $?"' /dev/null | tr -d '\r'
script -qec 'smtool export --no-pager -f folded new; echo "status $?"' /dev/null | tr -d '\r'
smtool export -f pprof new | head -c 2 | od -An -tx1
