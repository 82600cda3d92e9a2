smtool timeline -f csv lost >/dev/full
