# machine NAME SLIDE RELEASE BOOT SIZE...: allocations of those sizes by do_work; by irq_work, one of 64 bytes
machine()
{
	name=$1 slide=$2 release=$3 boot=$4
	shift 4
	{
		echo 'kernel le 64 page 4096 format 7.2'
		echo "release $release"
		echo "bootid $boot"
		echo "kallsyms 0xffffffff81000000+$slide entry type=T"
		echo "kallsyms 0xffffffff81002000+$slide do_work"
		echo "kallsyms 0xffffffff81003000+$slide irq_work"
		echo "kallsyms 0xffffffff81004000+$slide end_of_text"
		echo "buildid 8899aabbccddeeff00112233445566778899aa$release"
		echo 'clock mono'
		echo 'cpu 0'
		echo 'step 1000000'
		ptr=4096
		for size in "$@"; do
			echo "kmalloc pid=1 site=do_work+0x20 ptr=$ptr req=$size"
			echo 'stack do_work+0x20 entry+0x10'
			ptr=$((ptr + 65536))
		done
		echo "kmalloc pid=1 site=irq_work+0x20 ptr=$ptr req=64"
		echo 'stack irq_work+0x20 entry+0x80'
	} | mkcapture - "$name"
}

machine a 0 07 aaaa 100 200
machine b 0x200000 07 bbbb 1000
machine c 0x400000 07 cccc 5000 5000
mkdir -p two
machine two/first 0x600000 07 dddd 10
machine two/second 0x600000 07 dddd 20
machine other 0 08 eeee 7
