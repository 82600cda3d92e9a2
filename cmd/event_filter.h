/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SMTOOL_EVENT_FILTER_H
#define SMTOOL_EVENT_FILTER_H

#include <smtool/profile.h>

#include "cli.h"

/* Which events are printed. The lists are as given on the command line; all are borrowed. */
struct event_filter_opts {
	const struct option_list *events, *comms, *pids, *cpus, *ids;
	const char *time; /* NULL = all of the window */
};

struct event_filter {
	const struct sm_trace *trace;
	bool *types; /* per trace type; NULL = all */
	const char **comms;
	int64_t *pids, *cpus, *ids;
	size_t ncomms, npids, ncpus, nids;
	uint64_t from, to; /* of the trace clock, both included */
};

/* Errors: SM_E_USAGE for what can't match or makes no sense. Reads the pages once where `time` is
 * relative to their window. */
struct sm_error *event_filter_init(struct event_filter *f, struct sm_trace *trace,
	const struct event_filter_opts *opts, unsigned threads) SM_MUST_CHECK;
bool event_filter_matches(const struct event_filter *f, const struct sm_event *ev);
void event_filter_release(struct event_filter *f);

#endif
