#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A capture of slab events with their stacks, from whatever kernel this is.
# series: any
# cpus: 2
# timeout: 300
. /guest/functions

setup 1024
kmem 1
echo 1 >tracing_on
work 1
echo 0 >tracing_on
kmem 0
at_least "events" "$(grep -c ' kmalloc: ' trace)" 10
at_least "stacks" "$(($(full_in_trace) + $(ids_in_trace)))" 10
capture any
end
