# Two captures of one kernel at two slides: `keep` stays, `grow` doubles, `gone` is in the old one, `fresh`
# in the new one.
functions()
{
	cat <<-END
		kernel le 64 page 4096 format 6.18
		release 6.18.0-test
		bootid $2
		buildid 0123456789abcdef0123456789abcdef01234567
		json {"format":"smtool-capture","version":1,"created":"2026-01-02T03:04:05Z","boot_id":"$2","kernel_release":"6.18.0-test","machine":"x86_64"}
		kallsyms $1 _text type=T
		kallsyms $1+0x1000 entry
		kallsyms $1+0x2000 syscall
		kallsyms $1+0x3000 keep
		kallsyms $1+0x4000 grow
		kallsyms $1+0x5000 gone
		kallsyms $1+0x6000 fresh
		kallsyms $1+0x7000 kmem_trace
		kallsyms $1+0x8000 _end
		module a_module $1+0x40000000 0x10000
		kallsyms $1+0x40000100 in_module a_module
		comm 100 "a task"
		comm 200 other
		let p = 0xffff888000001000
	END
}
# alloc FUNCTION BYTES [MORE]: of it by the task, on the way through the module where MORE says so
alloc()
{
	cat <<-END
		at +1000
		kmalloc pid=${3:-100} site=$1+0x20 ptr=\$p req=$2-8 alloc=$2 gfp=${4:-GFP_KERNEL}
		stack kmem_trace+0x8 $1+0x20 ${5:-}syscall+0x30 entry+0x10
		let p = \$p + 0x1000
	END
}
{
	functions 0xffffffff81000000 old-boot
	echo 'at 1000000'
	alloc keep 64
	alloc keep 64
	alloc grow 128
	alloc gone 256
} >old.txt
{
	functions 0xffffffff9a000000 new-boot
	echo 'at 5000000'
	alloc keep 64
	alloc keep 64
	alloc grow 128
	alloc grow 128 200 'GFP_NOFS|__GFP_ZERO'
	alloc fresh 512 100 GFP_KERNEL 'in_module+0x10 '
	alloc keep 32
	# freed again
	# shellcheck disable=SC2016
	echo 'kfree pid=100 site=keep+0x40 ptr=$p-0x1000
	stack kmem_trace+0x8 keep+0x40 syscall+0x30 entry+0x10
	# without a stack
	at +1000
	kmem_cache_alloc pid=0 site=keep+0x20 ptr=$p req=16 alloc=16 name=dentry
	cpu 1
	at +1000
	mm_page_alloc pid=200 pfn=77 order=1
	stack keep+0x50 syscall+0x30 entry+0x10'
} >new.txt
mkcapture old.txt old
mkcapture new.txt new

# Names that want to be more than text
cat >hostile.txt <<'END'
kernel le 64 page 4096 format 6.18
kallsyms 0xffffffff81001000 "a;b"
kallsyms 0xffffffff81002000 "</title><script>window.pwned=1</script>"
kallsyms 0xffffffff81003000 "]]><script>window.pwned=1</script>"
kallsyms 0xffffffff81004000 "\"onload=\"window.pwned=1"
kallsyms 0xffffffff81005000 "\x1b[31m\xff\xef\xbf\xbf"
kallsyms 0xffffffff81006000 "&amp;'\\u0041"
kallsyms 0xffffffff81007000 "#comment"
comm 1 "; rm -rf #\n"
at 1000000
kmalloc site=0xffffffff81001020 ptr=0xffff888000001000 req=64 alloc=64
stack 0xffffffff81001020 0xffffffff81002020 0xffffffff81003020 0xffffffff81004020 0xffffffff81005020 0xffffffff81006020 0xffffffff81007020
END
mkcapture hostile.txt hostile

# Inlined functions
mkdir elf
mkelf "$SM_SRC/tests/cli/lines/vmlinux.txt" elf/vmlinux
mkelf --capture "$SM_SRC/tests/cli/lines/vmlinux.txt" 0x200000 >vmlinux.inc
cp "$SM_SRC/tests/cli/lines/capture.txt" lines.txt
mkcapture lines.txt lines
mkcapture "$DATA/gen/stack-ids.txt" stack-ids
mkcapture --map "$DATA/gen/map-le.txt" >map
mkcapture "$DATA/gen/truncated.txt" truncated
