# Nothing is known: the text is what it was.
printf 'schedule+0x48/0xc0 0xffffffff81200048\n' | smtool symbolize --filter --no-symbols
