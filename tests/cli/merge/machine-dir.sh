# Two snapshots of a boot are two machines unless they are said to be one
smtool merge --json -o two.smp two/first two/second
smtool merge --json -o one.smp --machine dir two/second a two/first
smtool top --by median -f csv one.smp | cut -d, -f6,9,12-
