smtool symbolize --filter --kallsyms data/map.kallsyms <<'END'
[   12.345678] BUG: kernel NULL pointer dereference, address: 0000000000000000
[   12.345679] RIP: 0010:schedule+0x48/0xc0
[   12.345680] RAX: ffffffff81200048 RBX: 0000000000000001 R15: ffffffff81201c1c
[   12.345681] Call Trace:
[   12.345682]  [<ffffffff81201c1c>] ? schedule_timeout+0x1c/0x30
[   12.345683]  [<ffffffff81201c1c>] 0xffffffff81201c1c
[   12.345684]  rx_refill+0x24/0x80 [net_example]
[   12.345685]  nobody+0x1/0x2 0xffffffffa0000000
tar-27718 [001] . 2896.323597: kmalloc: call_site=0xffffffff81202020 ptr=0xffff888102d186c0
 => 0xffffffff81203033
END
