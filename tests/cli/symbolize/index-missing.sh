smtool symbolize --build-index nowhere
