smtool info -q be
smtool info -q --json be | grep -A 4 '"window"'
