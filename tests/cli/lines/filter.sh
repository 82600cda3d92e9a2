smtool symbolize --filter -i lines --vmlinux elf/vmlinux <<'END'
RIP: 0010:kmem_cache_alloc+0x14/0x20 Code: 90
Call Trace:
 ? do_open+0x9/0x11
 do_open+0x10/0x11
 => fail
 what+0x1/0x2 do_open+0x9/0x21
END
