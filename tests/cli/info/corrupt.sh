smtool info corrupt >out
status=$?
grep -A 2 ^events out
exit $status
