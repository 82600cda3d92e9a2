# 41 machines, the n-th with n KiB in one stack: by several threads and by one, the same
n=1
while [ $n -le 41 ]; do
	mkdir -p m$n
	{
		echo 'kernel le 64 page 4096 format 7.2'
		echo "kallsyms 0xffffffff81002000+$n*0x10000 do_work"
		echo "kallsyms 0xffffffff81004000+$n*0x10000 end_of_text"
		echo "kmalloc pid=1 site=do_work+0x20 ptr=4096 req=$n*1024"
		echo 'stack do_work+0x20'
	} | mkcapture - m$n
	echo m$n
	n=$((n + 1))
done >list
smtool merge --inputs list -o one.smp --threads 1
smtool merge -q --inputs list -o eight.smp --threads 8
for profile in one eight; do
	smtool top -f csv --by median $profile.smp | cut -d, -f 5,9,13-15
done
# Byte for byte, in any order
smtool merge -q --threads 1 a b c other | tar --zstd -xOf - smtool.profile >first
smtool merge -q --threads 4 other c b a | tar --zstd -xOf - smtool.profile >second
cmp first second
