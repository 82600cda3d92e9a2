# Ids, full stacks, a nested interrupt, an id that the map lacks, one that is none, a deep stack.
smtool dump --events stack-ids
