smtool export -f folded --page new
smtool export -f folded --no-skip --comm other new
smtool export -f folded --focus in_module --hide '^entry$' new
smtool export -f folded --ignore module --gfp __GFP_ZERO --by count new
smtool export -f folded --at +0.000002 new
smtool export -f folded --root comm,cache,cpu new
