smtool timeline --time 0.001,0.0010015 --points 4 -n 1 -f csv le64
smtool timeline --time 300,400 le64
smtool timeline --time 300,400 --json le64
smtool timeline --time 300,400 -f csv le64
smtool timeline --time 300,400 -f svg le64 | grep -c 'no events in that window'
