smtool symbolize -i nowhere 0x12
