for name in le64 hostile pages lost lost-be32 truncated no-stack instance; do
	mkcapture "$DATA/gen/$name.txt" $name
done
mkcapture --map "$DATA/gen/map-le.txt" >map-le
mkcapture - ticks <<END
kernel le 64 page 4096 format 6.18
include "$DATA/gen/symbols64.inc"
clock counter
at 100
kmalloc ptr=0x1000 alloc=64 site=do_work+0x20
stack do_work+0x20
at 400
kmalloc ptr=0x2000 alloc=32 site=do_work+0x20
stack do_work+0x20
END
