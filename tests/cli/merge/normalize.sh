# A merged profile's window is the sum of its machines': 2 ms, and 2 + 1 ms
smtool merge -q -o a.smp a
smtool merge -q -o ab.smp a b
smtool diff --normalize --all -f csv a.smp ab.smp
smtool export -f folded --normalize --base a.smp ab.smp
