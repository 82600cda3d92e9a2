# Symbols of another boot: the same names elsewhere.
sed 's/^ffffffff8/ffffffff9/; s/^ffffffffc/ffffffffd/' le64/proc/kallsyms >other
sed 's/^ffffffffc/ffffffffd/' le64/proc/modules >modules && mv modules le64/proc/modules
smtool check --kallsyms other le64
