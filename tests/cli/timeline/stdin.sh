smtool timeline -n 1 --points 2 -f csv - <data/demo.tar.zst
