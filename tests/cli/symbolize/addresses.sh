ln -s data/map.kallsyms k
smtool symbolize --kallsyms k 0xffffffff81200048 FFFFFFFF81200048 schedule+0x48/0xc0 schedule rx_poll
smtool symbolize --kallsyms k 'rx_refill+0x24/0x80 [net_example]' rx_refill+0x24 '[net_example]'
smtool symbolize --kallsyms k 0x7fffffff
