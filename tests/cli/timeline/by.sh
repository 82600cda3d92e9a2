for by in live_bytes live_count bytes count; do
	smtool timeline --by $by -n 2 --height 4 --width 60 le64
done
smtool timeline --by bytes --points 3 -n 1 -f csv le64
smtool timeline --by live_count --points 3 -n 1 -f csv le64
