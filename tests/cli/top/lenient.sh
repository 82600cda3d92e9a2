smtool top --lenient --no-symbols map-bad-cut-ips
