# kernel NAME BUILDID SLIDE FUNCTION: what all captures of a kernel begin with
kernel()
{
	cat >"$1.inc" <<-END
		kernel le 64 page 4096 format 7.2
		clock mono
		buildid $2
		let p = 0x1000
		step 1000000
		kallsyms 0xffffffff81000000+$3 entry type=T
		kallsyms 0xffffffff81001000+$3 sys_call type=T
		kallsyms 0xffffffff81002000+$3 $4
		kallsyms 0xffffffff81003000+$3 irq_work
		kallsyms 0xffffffff81004000+$3 end_of_text
		kallsyms 0xffffffffc0001000+$3 mod_open testmod
		kallsyms 0xffffffffc0001800+$3 mod_close testmod
		module testmod 0xffffffffc0001000+$3 8192 buildid=00112233
	END
}

# objects N SIZE STACK: allocated and kept
objects()
{
	cat <<-END
		repeat $1 {
			kmalloc site=$3 ptr=\$p req=$2
			let p = \$p+4096
			stack $3 sys_call+0x40 entry+0x80
		}
	END
}

# capture NAME KERNEL FUNCTION AT: the rest of its script on stdin
capture()
{
	{
		echo "include $2.inc"
		echo "at $4"
		sed "s/WORK/$3/g"
	} >"$1.txt"
	mkcapture "$1.txt" "$1"
}

kernel k 8899aabb 0 do_work
kernel slid 8899aabb 0x1400000 do_work
kernel other 55667788 0x200000 do_work.constprop.0

old()
{
	objects 100 64 WORK+0x20
	objects 300 32 WORK+0x40
	objects 50 1024 irq_work+0x10
	objects 40 256 mod_open+0x30
	objects 2 4096 mod_close+0x30
	objects 7 8 sys_call+0x500
}
new()
{
	objects 400 64 WORK+0x20
	objects 30 32 WORK+0x40
	objects 53 1024 irq_work+0x10
	objects 35 512 mod_close+0x50
	objects 3 4096 mod_close+0x30
	objects 7 8 sys_call+0x500
}
old | capture old k do_work 1000000000
new | capture new k do_work 2000000000
old | capture old-boot slid do_work 500000000
old | capture old-build other do_work.constprop.0 500000000
new | capture new-build other do_work.constprop.0 500000000
# Twice of all that is in it: the rate is the same.
{ old; old; } | capture twice k do_work 3000000000
{ echo "include k.inc"; echo 'at 5'; echo 'kfree site=entry+1 ptr=0x99'; } >nothing.txt
mkcapture nothing.txt nothing

# Maps of two boots of one kernel: other ids, other addresses.
cat >map.inc <<'END'
map {
	stack 5 100 do_work+0x20 sys_call+0x40
	stack 6 200 irq_work+0x10 entry+0x80
	stack 7 7 trampoline entry+0x90
}
END
cat >map2.inc <<'END'
map {
	stack 500 200 irq_work+0x10 entry+0x80
	stack 5 900 do_work+0x20 sys_call+0x40
	stack 6 7 trampoline entry+0x90
}
END
printf 'include k.inc\ninclude map.inc\n' >map.txt
printf 'include slid.inc\ninclude map2.inc\n' >map2.txt
printf 'include k.inc\ninclude map2.inc\n' >map3.txt
mkcapture map.txt map
mkcapture map2.txt map2
mkcapture --map map.txt >map.bin
mkcapture --map map3.txt >map3.bin

# A series of eight: a leak, a cache that fills, bursts, and what stays.
set -- 500 900 620 1000 480 950 700 930
fill='100 500 700 790 810 805 800 802'
for i in 1 2 3 4 5 6 7 8; do
	filled=$(echo "$fill" | cut -d ' ' -f $i)
	{
		objects $((100 * i)) 64 do_work+0x20
		objects "$filled" 64 mod_open+0x30
		objects "$1" 64 irq_work+0x10
		objects 1000 32 sys_call+0x500
	} | capture t$i k do_work $((i * 60))000000000
	shift
done

for name in hostile lost truncated pages le64; do
	mkcapture "$DATA/gen/$name.txt" $name
done
