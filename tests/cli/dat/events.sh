smtool dump --events data/dat/v7-none.dat | head -n 12
smtool dump --events --instance slab data/dat/v6-buffers.dat | head -n 4
