/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "selection.h"

/* Of --group-by, in the order of its words. */
static const struct {
	enum sm_group group;
	enum sm_attr attr;
} GROUPS[] = {
	{SM_GROUP_STACK, SM_ATTR_NONE},
	{SM_GROUP_FUNCTION, SM_ATTR_NONE},
	{SM_GROUP_CALLER, SM_ATTR_NONE},
	{SM_GROUP_MODULE, SM_ATTR_NONE},
	{SM_GROUP_ATTR, SM_ATTR_COMM},
	{SM_GROUP_ATTR, SM_ATTR_PID},
	{SM_GROUP_ATTR, SM_ATTR_CPU},
	{SM_GROUP_ATTR, SM_ATTR_EVENT},
	{SM_GROUP_ATTR, SM_ATTR_CACHE},
	{SM_GROUP_ATTR, SM_ATTR_GFP},
	{SM_GROUP_ATTR, SM_ATTR_ORDER},
	{SM_GROUP_ATTR, SM_ATTR_SIZE},
};

static const struct option_def METRIC_OPTIONS[] = {
	OPT_STRING(0, "by", selection_opts, by, "KEY",
		"bytes count bytes_req waste live_bytes live_count peak_bytes frees ref_count "
		"machines median p95",
		"what to rank by (bytes where there are events, else ref_count)"),
	OPT_STRING(0, "at", selection_opts, at, "TIME", "peak",
		"what is live at that moment: seconds, +seconds, 40% or peak"),
	OPT_SIZE(0, "page-size", selection_opts, page_size, "SIZE",
		"of the kernel's pages, where the input doesn't tell (4k)"),
};

static const struct option_def FILTER_OPTIONS[] = {
	OPT_FLAG(0, "slab", selection_opts, slab, "slab allocations (the default)"),
	OPT_FLAG(0, "page", selection_opts, page, "page allocations"),
	OPT_LIST(0, "event", selection_opts, events, "NAME", "",
		"only this event; patterns allowed, repeatable"),
	OPT_LIST(
		0, "comm", selection_opts, comms, "NAME", "", "only of this task name; as --event"),
	OPT_LIST(0, "pid", selection_opts, pids, "PID", "", "only of this pid; repeatable"),
	OPT_LIST(0, "cpu", selection_opts, cpus, "CPU", "", "only on this CPU; repeatable"),
	OPT_STRING(0, "time", selection_opts, time, "A,B", "",
		"only within this window: seconds, +seconds or 10%-20%"),
	OPT_LIST(0, "gfp", selection_opts, gfps, "NAMES", "",
		"only with all of these GFP flags, as the kernel shows them: GFP_NOFS|__GFP_ZERO"),
	OPT_LIST(0, "cache", selection_opts, caches, "NAME", "",
		"only from this slab cache; as --event"),
	OPT_LIST(0, "order", selection_opts, orders, "N", "",
		"only pages of this order; repeatable"),
	OPT_SIZE(0, "min-size", selection_opts, min_size, "SIZE",
		"only allocations of at least SIZE"),
	OPT_SIZE(0, "max-size", selection_opts, max_size, "SIZE",
		"only allocations of at most SIZE"),
	OPT_DURATION(0, "older", selection_opts, older, "TIME",
		"only live objects that are at least this old"),
	OPT_LIST(0, "focus", selection_opts, focus, "RE", "", "only stacks with a frame like this"),
	OPT_LIST(0, "ignore", selection_opts, ignore, "RE", "", "no stack with a frame like this"),
	OPT_LIST(0, "hide", selection_opts, hide, "RE", "", "drop such frames from the stacks"),
	OPT_FLAG(0, "no-skip", selection_opts, no_skip,
		"keep the tracing and allocator frames on top"),
	OPT_STRING(0, "instance", selection_opts, instance, "NAME", "",
		"which tracing instance of the capture"),
};

const struct option_def *selection_metric_options(size_t *n)
{
	*n = SM_ARRAY_SIZE(METRIC_OPTIONS);
	return METRIC_OPTIONS;
}

const struct option_def *selection_filter_options(size_t *n)
{
	*n = SM_ARRAY_SIZE(FILTER_OPTIONS);
	return FILTER_OPTIONS;
}

void selection_opts_release(struct selection_opts *o)
{
	struct option_list *lists[] = {&o->events, &o->comms, &o->pids, &o->cpus, &o->gfps,
		&o->caches, &o->orders, &o->focus, &o->ignore, &o->hide};

	for (size_t i = 0; i < SM_ARRAY_SIZE(lists); i++)
		option_list_release(lists[i]);
}

void selection_release(struct selection *s)
{
	free(s->events);
	free(s->comms);
	free(s->caches);
	free(s->gfps);
	free(s->pids);
	free(s->cpus);
	free(s->orders);
}

const char *selection_group_word(unsigned word, size_t *len)
{
	const char *words = SELECTION_GROUPS, *at = NULL;

	for (unsigned i = 0; i <= word && option_next_word(&words, &at, len); i++)
		;
	return at;
}

void selection_group(struct selection *s, unsigned word)
{
	s->profile.attr = GROUPS[word].attr;
	s->table.group = GROUPS[word].group;
}

static struct sm_error *words(
	const struct option_list *list, const char ***storage, struct sm_patterns *patterns)
{
	struct sm_error *err = input_words(list, storage, &patterns->n);

	patterns->items = *storage;
	return err;
}

static struct sm_error *read_moments(struct selection *s, const struct selection_opts *o)
{
	struct sm_error *err = NULL;

	if (o->time && o->at)
		return sm_error_new(SM_E_USAGE, NULL, "--time and --at exclude each other",
			"--at TIME is the end of a window from the start");
	if (o->time)
		err = sm_window_parse("--time", o->time, &s->profile.from, &s->profile.to);
	else if (o->at)
		err = sm_moment_parse("--at", o->at, true, &s->profile.to);
	return err;
}

static struct sm_error *read_filters(struct selection *s, const struct selection_opts *o)
{
	struct sm_profile_opts *p = &s->profile;
	struct sm_error *err;

	err = words(&o->events, &s->events, &p->events);
	if (!err)
		err = words(&o->comms, &s->comms, &p->comms);
	if (!err)
		err = words(&o->caches, &s->caches, &p->caches);
	if (!err)
		err = words(&o->gfps, &s->gfps, &p->gfps);
	if (!err)
		err = input_numbers("--pid", &o->pids, INT32_MAX, &s->pids, &p->npids);
	if (!err)
		err = input_numbers("--cpu", &o->cpus, UINT16_MAX, &s->cpus, &p->ncpus);
	if (!err)
		err = input_numbers("--order", &o->orders, 63, &s->orders, &p->norders);
	p->pids = s->pids;
	p->cpus = s->cpus;
	p->orders = s->orders;
	p->min_size = o->min_size;
	p->max_size = o->max_size;
	p->older = o->older;
	if (!err)
		err = read_moments(s, o);
	if (!err && p->max_size && p->min_size > p->max_size)
		err = sm_error_new(SM_E_USAGE, NULL, "--min-size is above --max-size", NULL);
	return err;
}

struct sm_error *selection_read(
	struct selection *s, const struct selection_opts *o, const struct cli *cli)
{
	struct sm_table_opts *t = &s->table;

	if (o->slab && o->page)
		return sm_error_new(SM_E_USAGE, NULL, "--slab and --page exclude each other",
			"slab memory lies in pages: their sum counts it twice");
	s->profile.family = o->page ? SM_FAMILY_PAGE : o->slab ? SM_FAMILY_SLAB : SM_FAMILY_AUTO;
	s->profile.threads = (unsigned)cli->input.threads;
	s->profile.log = &cli->log;
	s->profile.by_stack = o->focus.n || o->ignore.n;
	t->no_skip = o->no_skip;
	t->focus = (struct sm_patterns){o->focus.items, o->focus.n};
	t->ignore = (struct sm_patterns){o->ignore.items, o->ignore.n};
	t->hide = (struct sm_patterns){o->hide.items, o->hide.n};
	t->by = SM_M_NR;
	if (o->by) {
		t->by = sm_metric_find(o->by);
		if (t->by == SM_M_NR)
			return sm_error_new(SM_E_USAGE, NULL, "unknown key",
				"--by '%s': one of bytes, count, bytes_req, waste, live_bytes, "
				"live_count, peak_bytes, frees, ref_count, machines, median, p95",
				o->by);
	}
	if (o->page_size && (o->page_size < 1024 || o->page_size > 1 << 20 ||
				    o->page_size & (o->page_size - 1)))
		return sm_error_new(SM_E_USAGE, NULL, "not a size of pages",
			"--page-size %llu: a power of 2 from 1k to 1M",
			(unsigned long long)o->page_size);
	return read_filters(s, o);
}

enum sm_metric selection_metric(const struct selection_opts *o, const struct sm_profile *p)
{
	static const enum sm_metric HELD[] = {SM_M_LIVE_BYTES, SM_M_LIVE_COUNT};

	/* Of what kernels tell in text, and of rows that were counted elsewhere. */
	for (size_t i = 0; i < SM_ARRAY_SIZE(HELD) && p->trace->frames; i++)
		if (p->known & (1u << HELD[i]))
			return HELD[i];
	if (!(p->known & (1u << SM_M_BYTES)))
		return SM_M_REF_COUNT;
	if (o->at)
		return SM_M_LIVE_BYTES;
	/* Events other than allocations have no bytes. */
	if (!p->totals[SM_M_BYTES] && p->totals[SM_M_COUNT])
		return SM_M_COUNT;
	return SM_M_BYTES;
}

void selection_warn(const struct selection *s, const struct cli *cli, const struct sm_profile *p)
{
	if (p->family == SM_FAMILY_PAGE && s->profile.family == SM_FAMILY_AUTO &&
		!p->trace->text.kind)
		sm_log(&cli->log, SM_INFO, "no slab events: page allocations are shown");
	if (p->mixed)
		sm_log(&cli->log, SM_WARN,
			"slab memory lies in pages: totals of both count it twice");
	if (p->health.has_window && !p->trace->clock_orders)
		sm_log(&cli->log, SM_INFO,
			"clock '%s' doesn't order events across CPUs: what is live may be "
			"slightly off",
			p->trace->clock);
}

struct sm_error *selection_count(struct selection *s, struct cli *cli, const char *path,
	struct input *in, struct sm_profile **profile)
{
	struct sm_error *err;

	err = input_open(in, cli, path, cli->selection.instance, s->table.by == SM_M_REF_COUNT);
	if (!err && cli->selection.at && in->trace->text.kind)
		err = sm_error_new(SM_E_USAGE, sm_source_path(in->src),
			"what was live at a moment isn't told",
			in->trace->text.has_time
				? "it has what lives now: --time ,TIME chooses what is that old"
				: "it has what lives now");
	if (!err)
		err = sm_profile_build(in->trace, &s->profile, profile);
	if (err)
		return err;
	if (sm_source_kind(in->src) == SM_SOURCE_LIVE && !in->trace->map && !in->trace->text.kind &&
		!in->trace->health.events)
		return sm_error_new(SM_E_MISSING, sm_source_path(in->src),
			"neither a stack map nor events",
			"this kernel has no stack_map_bin and its trace buffer is empty; "
			"'smtool record' makes a capture");
	if (s->table.by == SM_M_NR)
		s->table.by = selection_metric(&cli->selection, *profile);
	selection_warn(s, cli, *profile);
	return NULL;
}
