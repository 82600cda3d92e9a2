smtool info stack-ids
