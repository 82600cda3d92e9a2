smtool symbolize --kallsyms data/map.kallsyms --json ffffffff81200048 nobody 'rx_refill+0x24 [net_example]'
