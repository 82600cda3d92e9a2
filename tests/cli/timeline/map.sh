smtool timeline map-le
