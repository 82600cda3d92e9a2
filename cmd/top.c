/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include <smtool/view.h>

#include "input.h"

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

struct top_opts {
	const char *by, *instance, *at, *time;
	uint64_t limit, min_size, max_size, older;
	unsigned group;
	bool slab, page, no_skip;
	struct option_list events, comms, pids, cpus, gfps, caches, orders;
	struct option_list focus, ignore, hide;
};

/* What the options mean, with the storage behind it. */
struct top {
	struct top_opts o;
	struct sm_profile_opts profile;
	struct sm_table_opts table;
	const char **events, **comms, **caches, **gfps;
	int64_t *pids, *cpus, *orders;
};

static const struct option_def OPTIONS[] = {
	OPT_STRING(0, "by", top_opts, by, "KEY",
		"bytes count bytes_req waste live_bytes live_count peak_bytes frees ref_count",
		"what to rank by (bytes where there are events, else ref_count)"),
	OPT_U64('n', "limit", top_opts, limit, "N", 0, "how many rows (10; 0 = all)"),
	OPT_CHOICE('g', "group-by", top_opts, group, "GROUP",
		"stack function caller module comm pid cpu event cache gfp order size",
		"what a row is (stack)"),
	OPT_FLAG(0, "slab", top_opts, slab, "slab allocations (the default)"),
	OPT_FLAG(0, "page", top_opts, page, "page allocations"),
	OPT_STRING(0, "at", top_opts, at, "TIME", "peak",
		"what is live at that moment: seconds, +seconds, 40% or peak"),
	OPT_LIST(0, "event", top_opts, events, "NAME", "",
		"only this event; patterns allowed, repeatable"),
	OPT_LIST(0, "comm", top_opts, comms, "NAME", "", "only of this task name; as --event"),
	OPT_LIST(0, "pid", top_opts, pids, "PID", "", "only of this pid; repeatable"),
	OPT_LIST(0, "cpu", top_opts, cpus, "CPU", "", "only on this CPU; repeatable"),
	OPT_STRING(0, "time", top_opts, time, "A,B", "",
		"only within this window: seconds, +seconds or 10%-20%"),
	OPT_LIST(0, "gfp", top_opts, gfps, "NAMES", "",
		"only with all of these GFP flags, as the kernel shows them: GFP_NOFS|__GFP_ZERO"),
	OPT_LIST(0, "cache", top_opts, caches, "NAME", "", "only from this slab cache; as --event"),
	OPT_LIST(0, "order", top_opts, orders, "N", "", "only pages of this order; repeatable"),
	OPT_SIZE(0, "min-size", top_opts, min_size, "SIZE", "only allocations of at least SIZE"),
	OPT_SIZE(0, "max-size", top_opts, max_size, "SIZE", "only allocations of at most SIZE"),
	OPT_DURATION(0, "older", top_opts, older, "TIME",
		"only live objects that are at least this old"),
	OPT_LIST(0, "focus", top_opts, focus, "RE", "", "only stacks with a frame like this"),
	OPT_LIST(0, "ignore", top_opts, ignore, "RE", "", "no stack with a frame like this"),
	OPT_LIST(0, "hide", top_opts, hide, "RE", "", "drop such frames from the stacks"),
	OPT_FLAG(0, "no-skip", top_opts, no_skip, "keep the tracing and allocator frames on top"),
	OPT_STRING(0, "instance", top_opts, instance, "NAME", "",
		"which tracing instance of the capture"),
};

static void top_release(struct top *top)
{
	struct option_list *lists[] = {&top->o.events, &top->o.comms, &top->o.pids, &top->o.cpus,
		&top->o.gfps, &top->o.caches, &top->o.orders, &top->o.focus, &top->o.ignore,
		&top->o.hide};

	for (size_t i = 0; i < SM_ARRAY_SIZE(lists); i++)
		option_list_release(lists[i]);
	free(top->events);
	free(top->comms);
	free(top->caches);
	free(top->gfps);
	free(top->pids);
	free(top->cpus);
	free(top->orders);
}

static struct sm_error *words(
	const struct option_list *list, const char ***storage, struct sm_patterns *patterns)
{
	struct sm_error *err = input_words(list, storage, &patterns->n);

	patterns->items = *storage;
	return err;
}

static struct sm_error *read_moments(struct top *top)
{
	struct sm_error *err = NULL;

	if (top->o.time && top->o.at)
		return sm_error_new(SM_E_USAGE, NULL, "--time and --at exclude each other",
			"--at TIME is the end of a window from the start");
	if (top->o.time)
		err = sm_window_parse("--time", top->o.time, &top->profile.from, &top->profile.to);
	else if (top->o.at)
		err = sm_moment_parse("--at", top->o.at, true, &top->profile.to);
	return err;
}

static struct sm_error *read_filters(struct top *top)
{
	struct sm_profile_opts *p = &top->profile;
	struct sm_error *err;

	err = words(&top->o.events, &top->events, &p->events);
	if (!err)
		err = words(&top->o.comms, &top->comms, &p->comms);
	if (!err)
		err = words(&top->o.caches, &top->caches, &p->caches);
	if (!err)
		err = words(&top->o.gfps, &top->gfps, &p->gfps);
	if (!err)
		err = input_numbers("--pid", &top->o.pids, INT32_MAX, &top->pids, &p->npids);
	if (!err)
		err = input_numbers("--cpu", &top->o.cpus, UINT16_MAX, &top->cpus, &p->ncpus);
	if (!err)
		err = input_numbers("--order", &top->o.orders, 63, &top->orders, &p->norders);
	p->pids = top->pids;
	p->cpus = top->cpus;
	p->orders = top->orders;
	p->min_size = top->o.min_size;
	p->max_size = top->o.max_size;
	p->older = top->o.older;
	if (!err)
		err = read_moments(top);
	if (!err && p->max_size && p->min_size > p->max_size)
		err = sm_error_new(SM_E_USAGE, NULL, "--min-size is above --max-size", NULL);
	return err;
}

static struct sm_error *read_options(struct top *top, const struct cli *cli)
{
	struct sm_table_opts *t = &top->table;
	const struct top_opts *o = &top->o;

	if (o->slab && o->page)
		return sm_error_new(SM_E_USAGE, NULL, "--slab and --page exclude each other",
			"slab memory lies in pages: their sum counts it twice");
	top->profile.family = o->page ? SM_FAMILY_PAGE : o->slab ? SM_FAMILY_SLAB : SM_FAMILY_AUTO;
	top->profile.threads = (unsigned)cli->input.threads;
	top->profile.log = &cli->log;
	top->profile.attr = GROUPS[o->group].attr;
	top->profile.by_stack = o->focus.n || o->ignore.n;
	t->group = GROUPS[o->group].group;
	t->limit = o->limit;
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
				"live_count, peak_bytes, frees, ref_count",
				o->by);
	}
	return read_filters(top);
}

static enum sm_metric default_metric(const struct top *top, const struct sm_profile *p)
{
	if (!(p->known & (1u << SM_M_BYTES)))
		return SM_M_REF_COUNT;
	if (top->o.at)
		return SM_M_LIVE_BYTES;
	/* Events other than allocations have no bytes. */
	if (!p->totals[SM_M_BYTES] && p->totals[SM_M_COUNT])
		return SM_M_COUNT;
	return SM_M_BYTES;
}

static struct sm_error *print(struct cli *cli, const struct sm_table *table)
{
	const struct sm_style style = {.color = cli_color(cli)};
	struct sm_error *err;
	struct sm_out out;

	err = cli_open_output(cli, &out);
	if (err)
		return err;
	sm_table_formats[cli->output.format].write(table, &style, &out);
	return cli_close_output(cli, &out, NULL);
}

static void warn(struct cli *cli, const struct top *top, const struct sm_profile *p)
{
	if (p->family == SM_FAMILY_PAGE && top->profile.family == SM_FAMILY_AUTO)
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

static int run(int argc, char **argv, struct cli *cli)
{
	struct top top = {.o.limit = 10};
	struct sm_profile *profile = NULL;
	struct sm_table *table = NULL;
	struct input in = {0};
	struct sm_error *err;
	const char *path;
	int status;

	if (!cli_parse(cli, &top.o, &argc, argv, &status) ||
		!input_operand(cli, argc, argv, &path, &status)) {
		top_release(&top);
		return status;
	}
	err = read_options(&top, cli);
	if (!err)
		err = input_open(&in, cli, path, top.o.instance, top.table.by == SM_M_REF_COUNT);
	if (!err)
		err = sm_profile_build(in.trace, &top.profile, &profile);
	if (!err && sm_source_kind(in.src) == SM_SOURCE_LIVE && !in.trace->map &&
		!in.trace->health.events)
		err = sm_error_new(SM_E_MISSING, sm_source_path(in.src),
			"neither a stack map nor events",
			"this kernel has no stack_map_bin and its trace buffer is empty; "
			"'smtool record' makes a capture");
	if (!err) {
		if (top.table.by == SM_M_NR)
			top.table.by = default_metric(&top, profile);
		warn(cli, &top, profile);
		err = sm_table_build(profile, in.syms, &top.table, &table);
	}
	if (!err) {
		input_partial(&in, cli);
		err = print(cli, table);
	}
	status = cli_error(cli, err);
	sm_table_free(table);
	sm_profile_free(profile);
	input_close(&in, cli);
	top_release(&top);
	return status;
}

const struct command command_top = {
	.name = "top",
	.summary = "the stacks, functions, caches... that weigh most",
	.usage = "[OPTION]... [INPUT]",
	.formats = "text json csv jsonl",
	.options = OPTIONS,
	.n_options = SM_ARRAY_SIZE(OPTIONS),
	.operands = "file",
	.flags = COMMAND_LOG | COMMAND_INPUT | COMMAND_OUTPUT | COMMAND_SYMBOLS,
	.run = run,
};
