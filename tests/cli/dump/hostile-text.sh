# Names that would take over a terminal. No map here: the stacks are those of the events.
smtool dump hostile
