escape=$(printf '\033')
smtool timeline --color=always lost | grep -c "$escape"
smtool timeline --color=auto lost | grep -c "$escape"
NO_COLOR=1 smtool timeline lost | grep -c "$escape"
smtool timeline --color=always lost | sed 's/\x1b\[[0-9]*m//g' >plain
smtool timeline lost | cmp - plain
