smtool symbolize --filter --json
