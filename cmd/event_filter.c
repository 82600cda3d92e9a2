/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fnmatch.h>
#include <stdlib.h>

#include "event_filter.h"
#include "input.h"

static struct sm_error *choose_types(struct event_filter *f, const struct option_list *list)
{
	const struct sm_trace *trace = f->trace;
	const char **words;
	struct sm_error *err;
	size_t n;

	err = input_words(list, &words, &n);
	if (err || !n)
		return err;
	f->types = calloc(trace->ntypes + 1, sizeof(*f->types));
	if (!f->types)
		err = sm_error_nomem();
	for (size_t i = 0; !err && i < n; i++) {
		bool any = false;

		for (size_t t = 0; t < trace->ntypes; t++) {
			if (!sm_event_type_matches(&trace->types[t], words[i]))
				continue;
			f->types[t] = true;
			any = true;
		}
		if (!any)
			err = sm_error_new(SM_E_USAGE, NULL, "no such event in this capture",
				"'%s' matches none of its %zu formats; 'smtool info' lists the "
				"events",
				words[i], trace->ntypes);
	}
	free(words);
	return err;
}

static uint64_t moment_ns(
	const struct sm_moment *m, uint64_t first, uint64_t last, uint64_t otherwise)
{
	switch (m->kind) {
	case SM_MOMENT_NS:
		return m->ns;
	case SM_MOMENT_FROM_START:
		return m->ns > UINT64_MAX - first ? UINT64_MAX : first + m->ns;
	case SM_MOMENT_PERCENT:
		if (m->percent >= 100)
			return last;
		return first + (uint64_t)((double)(last - first) * m->percent / 100);
	default:
		return otherwise;
	}
}

static bool is_relative(const struct sm_moment *m)
{
	return m->kind == SM_MOMENT_FROM_START || m->kind == SM_MOMENT_PERCENT;
}

static struct sm_error *choose_window(
	struct event_filter *f, struct sm_trace *trace, const char *text, unsigned threads)
{
	struct sm_run_opts run = {.threads = threads};
	struct sm_moment from, to;
	struct sm_error *err;

	f->to = UINT64_MAX;
	if (!text)
		return NULL;
	err = sm_window_parse("--time", text, &from, &to);
	if (err)
		return err;
	if (is_relative(&from) || is_relative(&to)) {
		if (sm_source_kind(trace->src) == SM_SOURCE_LIVE)
			return sm_error_new(SM_E_USAGE, NULL,
				"--time relative to the window needs a capture",
				"the running kernel's buffer can be read only once");
		err = sm_trace_run(trace, &run, NULL, NULL);
		if (err)
			return err;
	}
	f->from = moment_ns(&from, trace->health.first_ts, trace->health.last_ts, 0);
	f->to = moment_ns(&to, trace->health.first_ts, trace->health.last_ts, UINT64_MAX);
	return NULL;
}

struct sm_error *event_filter_init(struct event_filter *f, struct sm_trace *trace,
	const struct event_filter_opts *opts, unsigned threads)
{
	struct sm_error *err;

	*f = (struct event_filter){.trace = trace};
	err = choose_types(f, opts->events);
	if (!err)
		err = input_words(opts->comms, &f->comms, &f->ncomms);
	if (!err)
		err = input_numbers("--pid", opts->pids, INT32_MAX, &f->pids, &f->npids);
	if (!err)
		err = input_numbers("--cpu", opts->cpus, UINT16_MAX, &f->cpus, &f->ncpus);
	if (!err)
		err = input_numbers("--id", opts->ids, INT32_MAX, &f->ids, &f->nids);
	if (!err && trace->text.kind && (f->ncpus || (opts->time && !trace->text.has_time)))
		err = sm_error_new(SM_E_USAGE, sm_source_path(trace->src),
			"not told by a page_owner", "%s needs %s", f->ncpus ? "--cpu" : "--time",
			f->ncpus ? "CPUs" : "times (Linux 5.11)");
	if (!err)
		err = choose_window(f, trace, opts->time, threads);
	return err;
}

static bool holds(const int64_t *numbers, size_t n, int64_t v)
{
	for (size_t i = 0; i < n; i++) {
		if (numbers[i] == v)
			return true;
	}
	return n == 0;
}

static bool comm_matches(const struct event_filter *f, const struct sm_event *ev)
{
	const char *comm = f->ncomms ? sm_event_comm(f->trace, ev) : NULL;

	for (size_t i = 0; comm && i < f->ncomms; i++) {
		if (!fnmatch(f->comms[i], comm, 0))
			return true;
	}
	return f->ncomms == 0;
}

bool event_filter_matches(const struct event_filter *f, const struct sm_event *ev)
{
	if (ev->ts < f->from || ev->ts > f->to)
		return false;
	if (f->types && (ev->type >= f->trace->ntypes || !f->types[ev->type]))
		return false;
	return holds(f->pids, f->npids, ev->pid) && holds(f->cpus, f->ncpus, ev->cpu) &&
	       holds(f->ids, f->nids, ev->stack_id) && comm_matches(f, ev);
}

void event_filter_release(struct event_filter *f)
{
	free(f->types);
	free(f->comms);
	free(f->pids);
	free(f->cpus);
	free(f->ids);
	memset(f, 0, sizeof(*f));
}
