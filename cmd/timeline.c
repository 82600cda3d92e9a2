/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "restatement.h"
#include "selection.h"
#include "terminal.h"

#define DATA_POINTS 500
#define FORMAT_TEXT 0

struct timeline_opts {
	unsigned by, group, rank;
	uint64_t limit, points, interval, width, height;
	bool total;
};

/* The words of --by, and of --rank what they mean then. */
#define KEYS "live_bytes live_count bytes count"
#define RANKS "peak end allocated"
enum rank { RANK_PEAK, RANK_END, RANK_ALLOCATED };
static const struct {
	enum sm_metric by, rank[3];
} METRICS[] = {
	{SM_M_LIVE_BYTES, {SM_M_PEAK_BYTES, SM_M_LIVE_BYTES, SM_M_BYTES}},
	{SM_M_LIVE_COUNT, {SM_M_LIVE_COUNT, SM_M_LIVE_COUNT, SM_M_COUNT}},
	{SM_M_BYTES, {SM_M_BYTES, SM_M_BYTES, SM_M_BYTES}},
	{SM_M_COUNT, {SM_M_COUNT, SM_M_COUNT, SM_M_COUNT}},
};

static const struct option_def OPTIONS[] = {
	OPT_CHOICE(0, "by", timeline_opts, by, "KEY", KEYS,
		"live_bytes (default) or live_count; bytes, count: allocated in each interval"),
	OPT_U64('n', "limit", timeline_opts, limit, "N", 0,
		"divide it by the N rows that weigh most (5; 0 = all)"),
	OPT_CHOICE('g', "group-by", timeline_opts, group, "GROUP", SELECTION_GROUPS,
		"what a row is (stack)"),
	OPT_CHOICE(0, "rank", timeline_opts, rank, "WHEN", RANKS,
		"which rows: those that weigh most at the peak (default), at the end, or in all "
		"that was allocated"),
	OPT_FLAG(0, "total", timeline_opts, total, "the whole alone, from one reading"),
	OPT_U64(0, "points", timeline_opts, points, "N", SM_TIMELINE_MAX_POINTS / 10,
		"how many intervals, at most (as many as text has columns, else 500)"),
	OPT_DURATION(0, "interval", timeline_opts, interval, "TIME",
		"how long an interval is, instead of --points"),
	OPT_U64(0, "width", timeline_opts, width, "N", 10000,
		"columns of the text (those of the terminal, else 80)"),
	OPT_U64(0, "height", timeline_opts, height, "N", 1000, "rows of the plot (16)"),
};

struct timeline {
	struct timeline_opts o;
	struct selection s;
	struct input in;
	const char *path;
	uint8_t *stacks;
	uint32_t *rows;
	struct sm_timeline *timeline;
	struct sm_profile *profile;
	struct sm_profile *peak; /* what is live then, where `profile` doesn't have it */
	struct sm_table *table;
	struct sm_buf hint;
};

static void timeline_release(struct timeline *tl, struct cli *cli)
{
	sm_table_free(tl->table);
	sm_timeline_free(tl->timeline);
	sm_profile_free(tl->peak);
	sm_profile_free(tl->profile);
	input_close(&tl->in, cli);
	selection_release(&tl->s);
	free(tl->stacks);
	free(tl->rows);
	sm_buf_release(&tl->hint);
}

static bool is_live(const struct timeline *tl)
{
	return sm_source_kind(tl->in.src) == SM_SOURCE_LIVE;
}

static unsigned width_of(const struct timeline *tl, const struct cli *cli)
{
	const char *path = cli->output.path;

	return tl->o.width ? (unsigned)tl->o.width : terminal_width(path && strcmp(path, "-"));
}

static struct sm_error *read_options(struct timeline *tl, const struct cli *cli)
{
	struct sm_error *err = selection_read(&tl->s, &cli->selection, cli);

	if (err)
		return err;
	if (tl->s.profile.older)
		return sm_error_new(SM_E_USAGE, NULL, "--older is of one moment, not of many",
			"'smtool top --older' tells what is old at the end");
	if (tl->o.points && tl->o.interval)
		return sm_error_new(
			SM_E_USAGE, NULL, "--points and --interval exclude each other", NULL);
	selection_group(&tl->s, tl->o.group);
	tl->s.table.limit = tl->o.limit;
	tl->s.table.by = METRICS[tl->o.by].rank[tl->o.rank];
	return NULL;
}

/* Of each row of the profile, the table's that it is in. */
static struct sm_error *find_rows(struct timeline *tl, const struct sm_table *table)
{
	free(tl->rows);
	tl->rows = malloc((table->profile->nrows + 1) * sizeof(*tl->rows));
	if (!tl->rows)
		return sm_error_nomem();
	sm_table_rows_of(table, tl->rows);
	return NULL;
}

static void mark_stacks(struct timeline *tl, const struct sm_profile *p, uint32_t n)
{
	for (size_t i = 0; i < p->nrows; i++) {
		uint32_t stack = p->rows[i].stack;

		if (tl->rows[i] == UINT32_MAX)
			continue;
		if (stack == SM_STACK_UNRESOLVED)
			tl->stacks[n] = 1;
		else if (stack == SM_STACK_NONE)
			tl->stacks[n + 1] = 1;
		else if (stack < n)
			tl->stacks[stack] = 1;
	}
}

/* --focus and --ignore choose stacks: which those are must be known before the peak of theirs can
 * be. */
static struct sm_error *choose_stacks(struct timeline *tl)
{
	struct sm_profile_opts *opts = &tl->s.profile, all = *opts;
	struct sm_table_opts every = tl->s.table;
	struct sm_profile *p = NULL;
	struct sm_table *table = NULL;
	struct sm_error *err;

	if (!every.focus.n && !every.ignore.n)
		return NULL;
	if (is_live(tl))
		return sm_error_new(SM_E_USAGE, sm_source_path(tl->in.src),
			"--focus and --ignore need two readings",
			"events of the running kernel can be read once: record a capture");
	all.attr = SM_ATTR_NONE;
	every.group = SM_GROUP_STACK;
	every.by = SM_M_COUNT;
	every.limit = 0;
	err = sm_profile_build(tl->in.trace, &all, &p);
	if (!err && !(p->known & (1u << SM_M_COUNT)))
		goto out; /* no events: what comes next says so */
	if (!err)
		err = sm_table_build(p, tl->in.syms, &every, &table);
	if (!err)
		err = find_rows(tl, table);
	if (!err) {
		opts->nstacks = sm_stacks_count(tl->in.trace->stacks);
		opts->stacks = tl->stacks = calloc(opts->nstacks + 2, 1);
		if (!tl->stacks)
			err = sm_error_nomem();
	}
	if (!err)
		mark_stacks(tl, p, opts->nstacks);
out:
	sm_table_free(table);
	sm_profile_free(p);
	return err;
}

/* A list of what lives doesn't: what is live at its end is all. */
static bool knows_peak(const struct timeline *tl)
{
	return tl->profile->known & (1u << SM_M_PEAK_BYTES);
}

/* The profile whose rows divide the timeline. */
static struct sm_error *profile_to_rank(struct timeline *tl, struct sm_profile **profile)
{
	struct sm_profile_opts opts = tl->s.profile;
	struct sm_error *err;

	*profile = tl->profile;
	/* A profile knows what was live when the bytes were most, not the objects. */
	if (METRICS[tl->o.by].by != SM_M_LIVE_COUNT || !knows_peak(tl) || tl->o.rank != RANK_PEAK ||
		!tl->timeline->count_peak.value)
		return NULL;
	opts.to = (struct sm_moment){.kind = SM_MOMENT_NS, .ns = tl->timeline->count_peak.ts};
	err = sm_profile_build(tl->in.trace, &opts, &tl->peak);
	*profile = tl->peak;
	return err;
}

static struct sm_error *divide(struct timeline *tl, struct cli *cli)
{
	struct sm_profile *profile;
	struct sm_error *err;
	size_t n = 0;

	if (tl->o.total || !tl->timeline->n)
		return NULL;
	if (is_live(tl)) {
		sm_log(&cli->log, SM_WARN,
			"the running kernel's events can be read once: only the whole is shown; a "
			"capture ('smtool record') can be divided");
		return NULL;
	}
	if (!knows_peak(tl) && tl->o.rank == RANK_PEAK)
		tl->s.table.by = METRICS[tl->o.by].rank[RANK_END];
	err = profile_to_rank(tl, &profile);
	if (!err)
		err = sm_table_build(profile, tl->in.syms, &tl->s.table, &tl->table);
	if (!err)
		err = find_rows(tl, tl->table);
	/* What only calls others comes last, and has nothing itself. */
	while (!err && n < tl->table->nrows && tl->table->rows[n].m[tl->s.table.by])
		n++;
	if (!err)
		err = sm_timeline_split(tl->timeline, tl->in.trace, profile, &tl->s.profile,
			METRICS[tl->o.by].by, tl->rows, n + 1);
	return err;
}

static void add_moment(struct sm_buf *buf, uint64_t ns)
{
	sm_buf_addf(buf, "%llu.%09llu", (unsigned long long)(ns / 1000000000),
		(unsigned long long)(ns % 1000000000));
}

/* The options of `top` that choose what the peak is made of. */
static void add_when(struct timeline *tl, const struct cli *cli)
{
	enum sm_metric by = METRICS[tl->o.by].by;
	struct sm_timeline_peak peak = sm_timeline_peak(tl->timeline, by);
	const struct sm_timeline *t = tl->timeline;
	bool from = tl->s.profile.from.kind != SM_MOMENT_NONE;
	struct sm_buf *b = &tl->hint;

	if (sm_timeline_is_rate(by)) {
		uint64_t past = peak.ts > t->from ? (peak.ts - t->from) % t->interval : 0;
		uint64_t begin = peak.ts - (past ? past : t->interval);

		sm_buf_addf(b, " --by %s --time ", sm_metric_name(by));
		add_moment(b, peak.ts <= t->from || begin <= t->from ? t->from : begin + 1);
		sm_buf_addc(b, ',');
		add_moment(b, peak.ts);
		return;
	}
	if (by == SM_M_LIVE_BYTES && !cli->selection.time && !tl->stacks) {
		sm_buf_adds(b, " --at peak");
		return;
	}
	if (by == SM_M_LIVE_COUNT || from)
		sm_buf_addf(b, " --by %s", sm_metric_name(by));
	sm_buf_adds(b, from ? " --time " : " --at ");
	if (from) {
		add_moment(b, t->from);
		sm_buf_addc(b, ',');
	}
	add_moment(b, peak.ts);
}

static const char *make_hint(struct timeline *tl, struct cli *cli)
{
	struct option_table tables[COMMAND_MAX_TABLES];
	size_t n = command_tables(cli->command, &tl->o, cli, tables);
	size_t len;

	if (is_live(tl) || !knows_peak(tl) ||
		!sm_timeline_peak(tl->timeline, METRICS[tl->o.by].by).value)
		return NULL;
	sm_buf_adds(&tl->hint, "smtool top");
	add_when(tl, cli);
	if (tl->o.group) {
		const char *group = selection_group_word(tl->o.group, &len);

		sm_buf_adds(&tl->hint, " -g ");
		sm_buf_add(&tl->hint, group, len);
	}
	for (size_t i = 0; i < n; i++)
		if (tables[i].base == &cli->selection || tables[i].base == &cli->symbols)
			restate_options(&tl->hint, &tables[i], "time");
	if (tl->path)
		restate_word(&tl->hint, tl->path);
	return tl->hint.failed ? NULL : tl->hint.data;
}

static struct sm_error *print(struct timeline *tl, struct cli *cli)
{
	const struct sm_timeline_style style = {
		.color = cli_color(cli),
		.utf8 = terminal_is_utf8(),
		.width = width_of(tl, cli),
		.height = (unsigned)tl->o.height,
	};
	const struct sm_timeline_view view = {
		.timeline = tl->timeline,
		.profile = tl->profile,
		.table = tl->table,
		.by = METRICS[tl->o.by].by,
		.hint = make_hint(tl, cli),
	};
	struct sm_error *err;
	struct sm_out out;

	err = cli_open_output(cli, &out);
	if (err)
		return err;
	sm_timeline_formats[cli->output.format].write(&view, &style, &out);
	return cli_close_output(cli, &out, NULL);
}

static struct sm_error *build(struct timeline *tl, struct cli *cli)
{
	struct sm_timeline_opts grid = {.points = tl->o.points, .interval = tl->o.interval};
	struct sm_error *err;

	if (!grid.points)
		grid.points = cli->output.format == FORMAT_TEXT
				      ? sm_timeline_columns(width_of(tl, cli))
				      : DATA_POINTS;
	err = input_open(&tl->in, cli, tl->path, cli->selection.instance, INPUT_ALL);
	if (!err)
		err = choose_stacks(tl);
	if (!err)
		err = sm_timeline_build(
			tl->in.trace, &tl->s.profile, &grid, &tl->timeline, &tl->profile);
	if (!err && is_live(tl) && !tl->profile->health.events)
		err = sm_error_new(SM_E_MISSING, sm_source_path(tl->in.src),
			"no events: nothing over time",
			"its trace buffer is empty; 'smtool record' makes a capture");
	if (!err) {
		selection_warn(&tl->s, cli, tl->profile);
		err = divide(tl, cli);
	}
	return err;
}

static int run(int argc, char **argv, struct cli *cli)
{
	struct timeline tl = {.o = {.limit = 5, .height = 16}};
	struct sm_error *err;
	int status;

	if (!cli_parse(cli, &tl.o, &argc, argv, &status) ||
		!input_operand(cli, argc, argv, &tl.path, &status))
		return status;
	err = read_options(&tl, cli);
	if (!err)
		err = build(&tl, cli);
	if (!err) {
		input_partial(&tl.in, cli);
		err = print(&tl, cli);
	}
	status = cli_error(cli, err);
	timeline_release(&tl, cli);
	return status;
}

const struct command command_timeline = {
	.name = "timeline",
	.summary = "what is live over time, with its peak and the gaps in what is known",
	.usage = "[OPTION]... [INPUT]",
	.formats = "text json csv jsonl svg",
	.options = OPTIONS,
	.n_options = SM_ARRAY_SIZE(OPTIONS),
	.operands = "file",
	.flags = COMMAND_LOG | COMMAND_INPUT | COMMAND_OUTPUT | COMMAND_SYMBOLS | COMMAND_SELECTION,
	.run = run,
};
