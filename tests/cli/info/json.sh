# The keys are a contract: smtool-info(1).
smtool info --json stack-ids
