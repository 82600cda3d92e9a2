smtool export -f folded --no-skip hostile
smtool export -f folded --no-skip --root comm hostile
