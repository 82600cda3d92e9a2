smtool timeline -f svg --points 3 -n 2 lost
