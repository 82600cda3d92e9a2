# What a page_owner, or a sum, can't tell is no empty table
try()
{
	smtool "$@"
	[ $? = 2 ] || echo "status isn't 2: $*"
}
try top --cpu 1 page_owner.txt
try top -g cpu page_owner.txt
try top -g cache page_owner.txt
try top --cache kmalloc-64 page_owner.txt
try top --slab page_owner.txt
try top --at peak page_owner.txt
try top --at 1 page_owner.txt
try top --by peak_bytes page_owner.txt
try top --by frees page_owner.txt
try top --gfp __GFP_ATOMIC page_owner.txt
try top --comm tar page_owner-5.11.txt
try top -g comm page_owner-5.11.txt
try top --pid 1 page_owner-4.3.txt
try top --older 1s page_owner-4.3.txt
try top --time 1,2 page_owner-4.3.txt
try top --page-size 5000 page_owner.txt
try top -g comm show_stacks.txt
try top --time 1,2 allocinfo.txt
try top --slab allocinfo.txt
try top --by live_count show_stacks.txt
try dump --events show_stacks.txt
try dump --events --cpu 1 page_owner.txt
try dump --events --time 1,2 page_owner-4.3.txt
