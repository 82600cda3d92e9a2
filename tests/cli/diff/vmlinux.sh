# --vmlinux serves the input that it belongs to; the other keeps what it has.
cp "$SM_SRC/tests/cli/lines/vmlinux.txt" .
mkelf vmlinux.txt vmlinux
mkelf --capture vmlinux.txt 0x200000 >vmlinux.inc
cp "$SM_SRC/tests/cli/lines/capture.txt" .
mkcapture capture.txt lines
smtool diff --all -n 1 --vmlinux vmlinux lines old
smtool diff --all -n 1 --vmlinux vmlinux old new
