: >empty
head -c 5000 /dev/zero >zeros
echo 'just some text' >text
head -c 300 "$(command -v smtool)" >elf
head -c 12 map-le >short
mkdir nothing
for input in empty zeros text elf short nothing missing map-bad-magic map-bad-cut-ips; do
	smtool top $input
	echo "$input: $?"
done
