sed 's/^[0-9a-f]*/0000000000000000/' le64/proc/kallsyms >k && mv k le64/proc/kallsyms
smtool check le64
