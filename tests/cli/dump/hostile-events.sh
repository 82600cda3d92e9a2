# No byte but printable ASCII and line ends.
smtool dump --events hostile | sed -n "1p;4p"
smtool dump --events hostile | LC_ALL=C tr -d "[:print:]\n" | wc -c
