smtool timeline --height 4 ticks; smtool timeline --height 4 --by count --points 2 ticks
