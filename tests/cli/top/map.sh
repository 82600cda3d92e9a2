smtool top map-le
smtool top --no-symbols -f csv - <map-be
