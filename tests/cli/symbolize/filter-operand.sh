smtool symbolize --filter 0x12
