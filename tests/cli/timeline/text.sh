smtool timeline data/demo.tar.zst
