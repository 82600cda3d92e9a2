smtool symbolize -i stack-ids 'do_work+0x20' 'sys_call+0x10'
smtool symbolize -i stack-ids --json do_work+0x20 | grep -e ip -e symbol
