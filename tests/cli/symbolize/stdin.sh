# One or more a line; what is no address is one that nobody has.
printf 'ffffffff81200048 ffffffff81201c1c\n\nrx_refill+0x24/0x80 [net_example]\r\nwhat?\nschedule' |
	smtool symbolize --kallsyms data/map.kallsyms
