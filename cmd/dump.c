/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include <smtool/view.h>

#include "event_filter.h"
#include "input.h"

struct dump_opts {
	bool events;
	const char *instance, *time;
	struct option_list ids, types, comms, pids, cpus;
};

static const struct option_def OPTIONS[] = {
	OPT_LIST(0, "id", dump_opts, ids, "N", "", "only the stack with this id; repeatable"),
	OPT_FLAG(0, "events", dump_opts, events,
		"print events in the order of time, each with its stack"),
	OPT_LIST(0, "event", dump_opts, types, "NAME", "",
		"with --events: only this event; patterns allowed, repeatable"),
	OPT_LIST(0, "comm", dump_opts, comms, "NAME", "",
		"with --events: only of this task name; as --event"),
	OPT_LIST(0, "pid", dump_opts, pids, "PID", "",
		"with --events: only of this pid; repeatable"),
	OPT_LIST(0, "cpu", dump_opts, cpus, "CPU", "",
		"with --events: only on this CPU; repeatable"),
	OPT_STRING(0, "time", dump_opts, time, "A,B", "",
		"with --events: only within this window: seconds, +seconds or 10%-20%"),
	OPT_STRING(0, "instance", dump_opts, instance, "NAME", "",
		"which tracing instance of the capture"),
};

static void dump_release(struct dump_opts *o)
{
	struct option_list *lists[] = {&o->ids, &o->types, &o->comms, &o->pids, &o->cpus};

	for (size_t i = 0; i < SM_ARRAY_SIZE(lists); i++)
		option_list_release(lists[i]);
}

/* ---- stacks ---- */

/* Counts the events of each stack, in the order in which they first occur: the same in every run.
 */
struct collector {
	const struct sm_trace *trace;
	struct sm_map_record *records;
	size_t n, cap;
	uint32_t *place; /* per stack of the trace: index in records + 1 */
	size_t nplaces;
};

static struct sm_error *collect(void *ctx, const struct sm_batch *batch)
{
	struct collector *c = ctx;

	for (size_t i = 0; i < batch->n; i++) {
		uint32_t stack = batch->events[i].stack;
		struct sm_map_record *rec;

		if (stack > SM_STACK_MAX)
			continue;
		if (stack >= c->nplaces) {
			size_t old = c->nplaces;

			if (!sm_grow(&c->place, &c->nplaces, (size_t)stack + 1, sizeof(*c->place)))
				return sm_error_nomem();
			memset(c->place + old, 0, (c->nplaces - old) * sizeof(*c->place));
		}
		if (!c->place[stack]) {
			struct sm_stack s = sm_stacks_get(c->trace->stacks, stack);

			if (!sm_grow(&c->records, &c->cap, c->n + 1, sizeof(*c->records)))
				return sm_error_nomem();
			c->records[c->n] = (struct sm_map_record){
				.id = (uint32_t)c->n, .depth = s.depth, .ips = s.ips};
			c->place[stack] = (uint32_t)++c->n;
		}
		rec = &c->records[c->place[stack] - 1];
		if (rec->ref_count < INT32_MAX)
			rec->ref_count++;
	}
	return NULL;
}

/* How often a row's stack was met, or how much it stands for: what there is of it. */
static uint64_t weight_of(const struct sm_trace *trace, const struct sm_imported_row *row)
{
	static const enum sm_metric COUNTS[] = {SM_M_REF_COUNT, SM_M_LIVE_COUNT, SM_M_COUNT};

	for (size_t i = 0; i < SM_ARRAY_SIZE(COUNTS); i++)
		if (trace->imported->known & (1u << COUNTS[i]))
			return row->m[COUNTS[i]];
	return trace->kernel_page_size ? row->m[SM_M_LIVE_BYTES] / trace->kernel_page_size : 0;
}

static struct sm_error *list_imported(struct input *in, struct collector *c)
{
	const struct sm_imported *imported = in->trace->imported;

	if (imported->nrows && !sm_grow(&c->records, &c->cap, imported->nrows, sizeof(*c->records)))
		return sm_error_nomem();
	for (size_t i = 0; i < imported->nrows; i++) {
		uint64_t weight = weight_of(in->trace, &imported->rows[i]);
		struct sm_stack stack;

		if (imported->rows[i].stack > SM_STACK_MAX)
			continue;
		stack = sm_stacks_get(in->trace->stacks, imported->rows[i].stack);
		c->records[c->n] = (struct sm_map_record){
			.id = (uint32_t)c->n,
			.ref_count = weight < UINT32_MAX ? (uint32_t)weight : UINT32_MAX,
			.depth = stack.depth,
			.ips = stack.ips,
		};
		c->n++;
	}
	return NULL;
}

/* What an unpatched kernel has instead of a map: the stacks of its events. */
static struct sm_error *list_page_stacks(struct cli *cli, struct input *in, struct collector *c)
{
	struct sm_run_opts run = {.threads = (unsigned)cli->input.threads};
	bool live = sm_source_kind(in->src) == SM_SOURCE_LIVE;
	struct sm_error *err;

	c->trace = in->trace;
	if (in->trace->imported)
		return list_imported(in, c);
	if (in->trace->text.kind)
		return sm_trace_run(in->trace, &run, collect, c);
	sm_log(&cli->log, live ? SM_WARN : SM_INFO,
		"'%s' has no stack map: these are the stacks of its events%s",
		sm_source_path(in->src), live ? ", which reading takes from its buffer" : "");
	err = sm_trace_run(in->trace, &run, collect, c);
	if (!err && live && !c->n)
		err = sm_error_new(SM_E_MISSING, sm_source_path(in->src),
			"neither a stack map nor events with stacks",
			"this kernel has no stack_map_bin, and its trace buffer holds no stacks; "
			"'smtool record' makes a capture");
	return err;
}

/* Keeps the records whose ids were asked for in `*list`; `chosen` is their storage. */
static struct sm_error *choose_ids(const struct option_list *ids, const char *path,
	struct sm_stack_list *list, struct sm_map_record **chosen)
{
	struct sm_error *err;
	int64_t *wanted;
	size_t n, kept = 0;

	err = input_numbers("--id", ids, UINT32_MAX, &wanted, &n);
	if (err || !n) {
		free(wanted);
		return err;
	}
	*chosen = malloc((list->n + 1) * sizeof(**chosen));
	if (!*chosen)
		err = sm_error_nomem();
	for (size_t i = 0; !err && i < list->n; i++) {
		bool match = false;

		for (size_t k = 0; k < n; k++)
			match |= wanted[k] == list->records[i].id;
		if (match)
			(*chosen)[kept++] = list->records[i];
	}
	for (size_t k = 0; !err && k < n; k++) {
		size_t i = 0;

		while (i < kept && (*chosen)[i].id != wanted[k])
			i++;
		if (i == kept)
			err = sm_error_new(SM_E_MISSING, path, "no such stack_id",
				"%lld is not among the %zu stacks", (long long)wanted[k], list->n);
	}
	free(wanted);
	list->records = *chosen;
	list->n = kept;
	return err;
}

static struct sm_error *dump_stacks(struct cli *cli, const struct dump_opts *o, struct input *in)
{
	const struct sm_map *map = in->trace->map;
	struct sm_map_record *chosen = NULL;
	struct sm_stack_list list = {0};
	struct collector c = {0};
	struct sm_error *err = NULL;
	struct sm_out out;

	if (map && !o->instance) {
		list.records = map->records;
		list.n = map->n;
		list.byte_order = map->big_endian ? "big" : "little";
		list.version = map->version;
		list.nr_stacks = map->claimed;
		if (map->reserved)
			sm_log(&cli->log, SM_INFO, "the stack map's reserved header field is 0x%x",
				map->reserved);
	} else {
		err = list_page_stacks(cli, in, &c);
		list.records = c.records;
		list.n = c.n;
		list.byte_order = in->trace->layout.swap != sm_host_big_endian() ? "big" : "little";
		list.nr_stacks = (uint32_t)c.n;
	}
	if (!err)
		err = choose_ids(&o->ids, sm_source_path(in->src), &list, &chosen);
	if (!err) {
		input_partial(in, cli);
		err = cli_open_output(cli, &out);
	}
	if (!err) {
		sm_dump_formats[cli->output.format].write(&list, in->syms, &out);
		err = cli_close_output(cli, &out, NULL);
	}
	free(chosen);
	free(c.records);
	free(c.place);
	return err;
}

/* ---- events ---- */

struct event_dump {
	const struct sm_event_format *format;
	struct sm_event_writer writer;
	struct event_filter filter;
};

/* Tells which stacks will be shown. */
static struct sm_error *announce_events(void *ctx, const struct sm_batch *batch)
{
	struct event_dump *d = ctx;

	for (size_t i = 0; i < batch->n; i++) {
		if (event_filter_matches(&d->filter, &batch->events[i]))
			sm_event_announce(&d->writer, &batch->events[i]);
	}
	return NULL;
}

static struct sm_error *write_events(void *ctx, const struct sm_batch *batch)
{
	struct event_dump *d = ctx;

	if (d->writer.preparation) {
		struct sm_error *err = announce_events(d, batch);

		if (err)
			return err;
		sm_event_prepare(&d->writer);
	}
	for (size_t i = 0; i < batch->n; i++) {
		if (!event_filter_matches(&d->filter, &batch->events[i]))
			continue;
		if (sm_out_failed(d->writer.out))
			return sm_error_new(SM_E_STOPPED, NULL, "output failed", NULL);
		d->format->event(&d->writer, batch, &batch->events[i]);
	}
	return NULL;
}

/* Reads a capture once more, so that what files say about all its stacks is read at once. */
static struct sm_error *prepare_events(struct input *in, struct event_dump *d, unsigned threads)
{
	struct sm_run_opts run = {.threads = threads};
	struct sm_error *err;

	if (!d->writer.preparation || sm_source_kind(in->src) == SM_SOURCE_LIVE)
		return NULL;
	err = sm_trace_run(in->trace, &run, announce_events, d);
	if (!err)
		sm_event_prepare(&d->writer);
	return err;
}

static struct sm_error *dump_events(struct cli *cli, const struct dump_opts *o, struct input *in)
{
	const struct event_filter_opts filter = {
		.events = &o->types,
		.comms = &o->comms,
		.pids = &o->pids,
		.cpus = &o->cpus,
		.ids = &o->ids,
		.time = o->time,
	};
	struct sm_run_opts run = {.threads = (unsigned)cli->input.threads, .raw = true};
	struct sm_out out;
	struct event_dump d = {
		.format = &sm_event_formats[cli->output.format],
		.writer = {.trace = in->trace, .syms = in->syms, .out = &out},
	};
	struct sm_error *err;

	if (in->trace->imported)
		return sm_error_new(SM_E_USAGE, sm_source_path(in->src), "no events",
			"%s %s has sums of each stack alone",
			sm_imported_article(in->trace->imported), in->trace->imported->kind);
	if (!sm_trace_has_events(in->trace))
		return sm_error_new(SM_E_MISSING, sm_source_path(in->src), "no events",
			"--events needs per_cpu/cpuN/trace_pipe_raw; see smtool-capture(5)");
	err = event_filter_init(&d.filter, in->trace, &filter, run.threads);
	if (!err)
		err = cli_open_output(cli, &out);
	if (!err) {
		d.format->begin(&d.writer);
		err = prepare_events(in, &d, run.threads);
		if (!err)
			err = sm_trace_run(in->trace, &run, write_events, &d);
		d.format->end(&d.writer);
		err = cli_close_output(cli, &out, err);
	}
	if (!err)
		input_partial(in, cli);
	event_filter_release(&d.filter);
	return err;
}

/* ---- the command ---- */

/* False: *status tells what makes no sense. */
static bool check_options(struct cli *cli, const struct dump_opts *o, int *status)
{
	const char *alone = o->types.n   ? "--event"
			    : o->comms.n ? "--comm"
			    : o->pids.n  ? "--pid"
			    : o->cpus.n  ? "--cpu"
			    : o->time    ? "--time"
					 : NULL;

	if (!o->events && alone) {
		*status = cli_usage(cli, "%s chooses events: give --events too", alone);
		return false;
	}
	if (o->events && !sm_event_formats[cli->output.format].name) {
		*status = cli_usage(
			cli, "--events has no form 'folded': give text, json, jsonl or csv");
		return false;
	}
	return true;
}

static int run(int argc, char **argv, struct cli *cli)
{
	struct dump_opts o = {0};
	struct input in = {0};
	struct sm_error *err;
	const char *path;
	int status;

	if (!cli_parse(cli, &o, &argc, argv, &status) ||
		!input_operand(cli, argc, argv, &path, &status) ||
		!check_options(cli, &o, &status)) {
		dump_release(&o);
		return status;
	}
	err = input_open(
		&in, cli, path, o.instance, o.events || o.instance ? INPUT_ALL : INPUT_MAP_FIRST);
	if (!err)
		err = o.events ? dump_events(cli, &o, &in) : dump_stacks(cli, &o, &in);
	status = cli_error(cli, err);
	input_close(&in, cli);
	dump_release(&o);
	return status;
}

const struct command command_dump = {
	.name = "dump",
	.summary = "prints every stack, or every event with its stack",
	.usage = "[OPTION]... [INPUT]",
	/* In the order of sm_dump_formats; sm_event_formats has all but the last. */
	.formats = "text json jsonl csv folded",
	.options = OPTIONS,
	.n_options = SM_ARRAY_SIZE(OPTIONS),
	.operands = "file",
	.flags = COMMAND_LOG | COMMAND_INPUT | COMMAND_OUTPUT | COMMAND_SYMBOLS,
	.run = run,
};
