smtool timeline --height 6 --width 70 data/dat/v7-zstd.dat
