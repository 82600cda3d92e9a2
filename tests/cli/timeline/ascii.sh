LC_ALL=C smtool timeline --height 8 data/demo.tar.zst
