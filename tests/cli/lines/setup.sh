# Where it isn't found by itself.
mkdir elf
mkelf "$SM_SRC/tests/cli/lines/vmlinux.txt" elf/vmlinux
mkelf --capture "$SM_SRC/tests/cli/lines/vmlinux.txt" 0x200000 >vmlinux.inc
cp "$SM_SRC/tests/cli/lines/capture.txt" .
mkcapture capture.txt lines
mkelf - elf/other <<'END'
elf le 64 exec x86_64
buildid 99887766
text .text 0xffffffff81000000
function nothing {
	nop 1000
}
END
