/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was lost or could not be read, as a list of counters. */
#include "internal.h"

#define COUNTER(name, member)                            \
	{                                                \
		name, offsetof(struct sm_health, member) \
	}

const struct health_counter sm_health_counters[] = {
	COUNTER("events", events),
	COUNTER("lost_events", lost_events),
	COUNTER("lost_unknown", lost_unknown),
	COUNTER("dropped_events", dropped),
	COUNTER("unresolved_ids", unresolved_ids),
	COUNTER("invalid_ids", invalid_ids),
	COUNTER("no_stack", no_stack),
	COUNTER("orphan_stacks", orphan_stacks),
	COUNTER("stray_call_sites", stray_call_sites),
	COUNTER("unmatched_frees", unmatched_frees),
	COUNTER("failed_allocs", failed_allocs),
	COUNTER("reused_addresses", reused),
	COUNTER("corrupt_pages", corrupt_pages),
	COUNTER("corrupt_bytes", corrupt_bytes),
	COUNTER("time_back", time_back),
	COUNTER("unknown_types", unknown_types),
	COUNTER("unknown_lines", unknown_lines),
	COUNTER("bad_records", bad_records),
	COUNTER("map_drops", map_drops),
};
const size_t sm_health_ncounters = SM_ARRAY_SIZE(sm_health_counters);

void sm_health_add(struct sm_health *to, const struct sm_health *from)
{
	struct sm_health add = *from;

	for (size_t i = 0; i < sm_health_ncounters; i++)
		*sm_health_counter(to, i) += *sm_health_counter(&add, i);
	to->truncated |= from->truncated;
}
