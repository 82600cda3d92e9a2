total()
{
	echo "$*: $(smtool top -f json "$@" | grep -m 1 '"bytes":')"
}
total --event kmem:kmalloc le64
total --event kmalloc,kmem_cache_alloc le64
total --comm worker le64
total --comm 'reader*' le64
total --pid 100 --pid 200 le64
total --pid 100,200 le64
total --cpu 1 le64
total --gfp GFP_ATOMIC le64
total --gfp 'GFP_KERNEL|__GFP_ZERO' le64
total --cache dentry le64
total --cache 'kmalloc-*' le64
total --min-size 256 le64
total --max-size 1K --min-size 192 le64
total --page --order 3 pages
total --slab le64
