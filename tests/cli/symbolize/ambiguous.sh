printf 'ffffffff81000000 T _stext\nffffffff81001000 t same\nffffffff81001040 t same\nffffffff810010a0 T _etext\n' >kallsyms
smtool symbolize --kallsyms kallsyms same+0x4 same+0x4/0x60 same+0x50
echo 'same+0x4/0x40 same+0x4 0xffffffff81001044' | smtool symbolize --kallsyms kallsyms --filter
