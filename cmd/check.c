/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Is this capture sound, and do these symbols belong to it? */
#include "index_builder.h"
#include "check.h"

#include <stdlib.h>

#include "input.h"

struct check_opts {
	const char *instance;
};

static const struct option_def OPTIONS[] = {
	OPT_STRING(0, "instance", check_opts, instance, "NAME", "",
		"which tracing instance of the capture"),
};

/* What is wrong with the input is a finding; what kept us from looking is not. */
static bool is_finding(const struct sm_error *err)
{
	return err->code == SM_E_FORMAT || err->code == SM_E_TRUNCATED ||
	       err->code == SM_E_UNSUPPORTED || err->code == SM_E_REFUSED ||
	       err->code == SM_E_STALE;
}

struct sm_error *check_take(struct check *c, struct sm_error *err)
{
	if (!err || !is_finding(err))
		return err;
	report_take(&c->report, SEVERITY_ERROR, err);
	return NULL;
}

/* ---- the stack map ---- */

/* Whether the map can be used, if only its beginning, and what is wrong with it. */
static struct sm_error *check_framing(struct check *c, bool *usable)
{
	struct sm_error *err;
	struct sm_map *map;
	uint64_t odd = 0;

	*usable = false;
	err = sm_map_load(c->src, SM_MEMBER_MAP, true, &map);
	if (err)
		return check_take(c, err);
	*usable = true;
	if (map->damage) {
		report_take(&c->report, SEVERITY_ERROR, map->damage);
		map->damage = NULL;
	}
	if (map->reserved)
		report_add(&c->report, SEVERITY_NOTE, map->blob.path,
			"reserved field of the stack map's header is not 0", "0x%x", map->reserved);
	for (size_t i = 0; i < map->n; i++)
		odd += map->records[i].reserved != 0;
	if (odd)
		report_add(&c->report, SEVERITY_NOTE, map->blob.path,
			"reserved fields of stack map records are not 0", "%llu of %zu records",
			(unsigned long long)odd, map->n);
	sm_map_free(map);
	return NULL;
}

/* Sums against what the kernel counted. */
static void check_map(struct check *c)
{
	const struct sm_map *map = c->trace->map;
	const struct sm_map_stat *s = &c->trace->map_stat;
	uint64_t sum = 0;
	bool saturated = false;

	if (!map)
		return;
	for (size_t i = 0; i < map->n; i++) {
		sum += map->records[i].ref_count;
		saturated |= map->records[i].ref_count >= INT32_MAX;
	}
	if (saturated)
		report_add(&c->report, SEVERITY_WARNING, map->blob.path,
			"reference counts saturated", "counts of 2^31-1 mean that or more");
	if (!s->present || map->damage)
		return;
	if (s->drops)
		report_add(&c->report, SEVERITY_WARNING, NULL, "stack map dropped stacks",
			"drops: %llu, events that kept their full stacks; %llu of %llu entries in "
			"use",
			(unsigned long long)s->drops, (unsigned long long)s->entries,
			(unsigned long long)s->capacity);
	if (map->n > s->entries)
		report_add(&c->report, SEVERITY_WARNING, map->blob.path,
			"more stacks than the kernel counted", "%zu here; stack_map_stat: %llu",
			map->n, (unsigned long long)s->entries);
	else if (map->n < s->entries)
		report_add(&c->report, SEVERITY_NOTE, map->blob.path,
			"fewer stacks than the kernel counted",
			"%zu here; stack_map_stat: %llu; stacks were added between the two", map->n,
			(unsigned long long)s->entries);
	if (sum > s->successes && !saturated)
		report_add(&c->report, SEVERITY_WARNING, map->blob.path,
			"more references than the kernel counted",
			"%llu here; stack_map_stat: %llu successes", (unsigned long long)sum,
			(unsigned long long)s->successes);
	else if (sum < s->successes && !saturated)
		report_add(&c->report, SEVERITY_NOTE, map->blob.path,
			"fewer references than the kernel counted",
			"%llu here; stack_map_stat: %llu successes", (unsigned long long)sum,
			(unsigned long long)s->successes);
}

/* ---- pages ---- */

static struct sm_error *count_ids(void *ctx, const struct sm_batch *batch)
{
	struct check *c = ctx;

	for (size_t i = 0; i < batch->n; i++)
		c->ids += batch->events[i].stack_id >= 0;
	return NULL;
}

static struct sm_error *read_pages(struct check *c)
{
	struct sm_run_opts run = {.threads = (unsigned)c->cli->input.threads};
	struct sm_error *err;

	if (!sm_trace_has_pages(c->trace))
		return NULL;
	if (sm_source_kind(c->src) == SM_SOURCE_LIVE) {
		report_add(&c->report, SEVERITY_NOTE, NULL, "pages not read",
			"reading would take them from the running kernel");
		return NULL;
	}
	err = sm_trace_run(c->trace, &run, count_ids, c);
	if (!err)
		check_pages(c);
	return err;
}

/* ---- all of it ---- */

static struct sm_error *open_trace(struct check *c, const char *instance)
{
	struct sm_trace_opts opts = {
		.instance = instance,
		.lenient = true,
		.log = &c->cli->log,
		.progress = &c->cli->progress,
	};
	bool has_map = sm_source_has(c->src, SM_MEMBER_MAP);
	struct sm_error *err = NULL;

	if (has_map) {
		err = check_framing(c, &has_map);
		if (err)
			return err;
		opts.no_map = !has_map;
	}
	err = sm_trace_open(c->src, &opts, &c->trace);
	if (!err)
		return NULL;
	/* Pages that can't be read for want of their formats don't spoil the map; a broken map, or
	 * the end of a damaged archive, has been told of already. */
	if (err->code == SM_E_MISSING && opts.no_map) {
		sm_error_free(err);
		err = NULL;
	} else if (err->code == SM_E_MISSING && (has_map || c->report.counts[SEVERITY_ERROR])) {
		report_take(&c->report, SEVERITY_ERROR, err);
		err = NULL;
	}
	err = check_take(c, err);
	if (err || !has_map)
		return err;
	opts.map_only = true;
	return sm_trace_open(c->src, &opts, &c->trace);
}

static struct sm_error *check(struct check *c, const char *path, const char *instance)
{
	struct sm_source_opts source = {
		.log = &c->cli->log,
		.progress = &c->cli->progress,
		.tmpdir = getenv("TMPDIR"),
	};
	struct sm_error *err;

	err = check_take(c, sm_source_open(path, &source, &c->src));
	if (err || !c->src)
		return err;
	if (sm_source_damage(c->src))
		report_take(&c->report, SEVERITY_ERROR, sm_error_copy(sm_source_damage(c->src)));
	err = open_trace(c, instance);
	if (err || !c->trace)
		return err;
	if (c->trace->text.kind) {
		/* Its names are its own. */
		check_text(c);
		return NULL;
	}
	check_map(c);
	err = read_pages(c);
	if (!err)
		err = check_symbols(c);
	return err;
}

static struct sm_error *print(struct check *c)
{
	struct sm_error *err;
	struct sm_out out;

	if (c->report.failed)
		return sm_error_nomem();
	err = cli_open_output(c->cli, &out);
	if (err)
		return err;
	if (c->cli->output.format)
		report_write_json(&c->report, &out);
	else
		report_write_text(&c->report, &out);
	return cli_close_output(c->cli, &out, NULL);
}

static int run(int argc, char **argv, struct cli *cli)
{
	struct check_opts o = {0};
	struct check c = {.cli = cli};
	struct sm_error *err;
	const char *path;
	int status;

	if (!cli_parse(cli, &o, &argc, argv, &status) ||
		!input_operand(cli, argc, argv, &path, &status))
		return status;
	err = check(&c, path, o.instance);
	if (!err)
		err = print(&c);
	status = cli_error(cli, err);
	if (status == EXIT_DONE && c.report.counts[SEVERITY_ERROR])
		status = EXIT_FAILED;
	report_release(&c.report);
	index_builder_note(cli, c.syms);
	sm_symbols_free(c.syms);
	sm_trace_free(c.trace);
	sm_source_free(c.src);
	return status;
}

const struct command command_check = {
	.name = "check",
	.summary = "is this capture sound: framing, ids, loss, symbols",
	.usage = "[OPTION]... [INPUT]",
	.formats = "text json",
	.options = OPTIONS,
	.n_options = SM_ARRAY_SIZE(OPTIONS),
	.operands = "file",
	.flags = COMMAND_LOG | COMMAND_INPUT | COMMAND_OUTPUT | COMMAND_SYMBOLS,
	.run = run,
};
