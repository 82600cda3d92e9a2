# Large and gone soon; small, and staying.
mkcapture - burst <<END
kernel le 64 page 4096 format 6.18
include "$DATA/gen/symbols64.inc"
at 1000
kmalloc ptr=0x1000 alloc=8192 site=do_work+0x20
stack do_work+0x20
at 2000
kfree ptr=0x1000
at 3000
kmalloc ptr=0x2000 alloc=512 site=irq_work+0x20
stack irq_work+0x20
at 4000
kmalloc ptr=0x3000 alloc=256 site=free_work+0x20
stack free_work+0x20
END
smtool timeline -n 1 --height 3 --width 60 burst
for rank in peak end allocated; do
	for by in live_bytes live_count bytes; do
		smtool timeline --rank $rank --by $by -n 1 --points 2 -f csv burst |
			sed 's/.*gap,//;q'
	done
done
smtool timeline --rank end -n 1 --height 3 --width 60 burst
smtool timeline --rank allocated -n 1 --height 3 --width 60 burst
