for group in stack function caller module comm pid cpu event cache gfp order size; do
	smtool timeline -g $group --points 2 -f csv le64
done
