# A stack that nothing refers to any more is no line.
mkcapture --map - >map <<'END'
kernel be 32 page 4096 format 7.2
map {
	stack 1 0 0xc0001000
	stack 2 7 0xc0001000 0xc0002000
}
END
smtool dump -f folded --no-symbols map
