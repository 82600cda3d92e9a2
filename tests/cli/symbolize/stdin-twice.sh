smtool symbolize -i - <stack-ids/proc/kallsyms
