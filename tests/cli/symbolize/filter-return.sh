smtool symbolize --filter --return
