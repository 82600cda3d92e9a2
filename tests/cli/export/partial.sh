smtool export -f folded truncated
echo "status $?"
