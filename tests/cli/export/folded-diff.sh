smtool export -f folded --base old new
smtool export -f folded --base new --by count old
# new's window is 7 us, old's 3.
smtool export -f folded --base old --normalize new
