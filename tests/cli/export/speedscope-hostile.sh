smtool export -f speedscope --by bytes hostile
