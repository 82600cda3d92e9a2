smtool timeline --points 8 -f csv data/demo.tar.zst
