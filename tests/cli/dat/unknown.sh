printf '\027\010Dtracing9\0\0\010\0\020\0\0' >nine.dat
printf '\027\010Dtracing7\0\0\010\0\020\0\0lzo\0001\0' >lzo.dat
printf '\027\010Dtrac' >short.dat
printf '\027\010Dtracing' >header.dat
for name in nine lzo short header; do
	smtool top $name.dat
	echo "$name: status $?"
done
