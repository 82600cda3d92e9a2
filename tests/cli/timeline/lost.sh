smtool timeline lost
LC_ALL=C smtool timeline --height 4 --by bytes lost-be32
smtool timeline --points 3 -f csv lost
smtool timeline --points 1 --total --json lost
