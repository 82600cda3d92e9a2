# Another boot: addresses differ, stacks don't.
smtool diff old old-boot
