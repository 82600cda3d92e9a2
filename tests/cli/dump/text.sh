# The kernel's own form, byte for byte.
smtool dump stack-ids
