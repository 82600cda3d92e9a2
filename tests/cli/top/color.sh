smtool top --color=always -g comm lost | od -c | grep -c '033'
smtool top --color=auto -g comm lost | od -c | grep -c '033'
NO_COLOR=1 smtool top -g comm lost | od -c | grep -c '033'
true
