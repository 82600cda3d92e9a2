# kallsyms knows no inlined functions: the text is the kernel's with and without.
smtool dump stack-ids >with && smtool dump --no-inlines stack-ids | cmp - with && echo same
