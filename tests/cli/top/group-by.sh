for group in function caller module comm pid cpu event cache gfp size; do
	smtool top --group-by $group -f csv le64 | cut -d, -f1,2,5-7
done
smtool top --page --group-by order -f csv pages | cut -d, -f1,2,5-7
