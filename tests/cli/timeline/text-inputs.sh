smtool timeline --height 6 --width 70 data/page_owner.txt
smtool timeline --by live_count --height 2 -n 1 --points 2 -f csv data/page_owner.txt
smtool timeline data/allocinfo.txt
