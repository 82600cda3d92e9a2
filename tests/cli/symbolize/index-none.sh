smtool symbolize --build-index
