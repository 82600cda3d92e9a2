# Maps alone: references, and how they are spread
smtool merge -o maps.smp data/map.bin data/map.bin
smtool top --by median -n 2 maps.smp
