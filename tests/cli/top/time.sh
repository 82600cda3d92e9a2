for time in ',0.0010012' '0.0010012,' +0,+0.0000012 0%-100% 0.0010012,0.0010013; do
	smtool top --time $time -f json le64 | grep -m 2 -e '"count":' -e '"bytes":'
done
