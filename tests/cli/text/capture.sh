# Where such text is in a capture, and what is looked at first
mkdir -p c/sys/kernel/debug/page_owner_stacks c/proc
cp allocinfo.txt c/proc/allocinfo
smtool info c | grep text
cp show_stacks.txt c/sys/kernel/debug/page_owner_stacks/show_stacks
smtool info c | grep text
cp page_owner.txt c/sys/kernel/debug/page_owner
echo '{"page_size": 65536, "kernel_release": "6.18"}' >c/smtool.json
smtool info c
tar -cf c.tar -C c .
smtool top -f csv -n 1 c.tar | cut -d , -f 2,5-
smtool top -f csv -n 1 - <c.tar | cut -d , -f 2,5-
# Pages and a map are what a capture is about
cp -r "$DATA/gen" .
mkcapture gen/le64.txt c2
cp -r c/proc/. c2/proc
smtool info c2 | grep -c text
smtool check c2 | grep -c allocinfo
tail -n +1 page_owner.txt | smtool top -f csv -n 1 - | cut -d , -f 2,5-
