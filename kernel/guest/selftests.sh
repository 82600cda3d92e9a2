#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The kernel tree's own tests of the series, under its ftracetest.
# series: stackmap
# cpus: 2
# timeout: 400
. /guest/functions

cd /selftests || exit
for test in test.d/ftrace/stackmap-*.tc; do
	if ./ftracetest -vv "$test" >/tmp/log 2>&1; then
		ok "$(basename "$test")"
	else
		not_ok "$(basename "$test")"
		tail -n 30 /tmp/log | sed 's/^/# /'
	fi
	mkdir -p /out/selftests
	cp /tmp/log "/out/selftests/$(basename "$test").log"
done
end
