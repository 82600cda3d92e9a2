# Two moments of what kernels tell: by place in the source, by stack, and what a capture has of both
sed 's/:2270 /:2271 /; s/28800      225/57600      450/' allocinfo.txt >later.txt
smtool diff allocinfo.txt later.txt
smtool diff -f csv --match function allocinfo.txt later.txt | cut -d , -f 1-6
sed '/pid 300, tgid 300 (sh)/,$d' page_owner.txt >earlier.txt
smtool diff --all earlier.txt page_owner.txt
sed 's/20824/20830/' show_stacks.txt >stacks.txt
smtool diff -f jsonl show_stacks.txt stacks.txt
