smtool symbolize --no-symbols 0x12 ffffffff81200048
smtool symbolize --no-symbols --json 0x12 | grep -v null
