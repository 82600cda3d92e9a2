/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "comparison.h"
#include "terminal.h"

struct diff_opts {
	uint64_t limit;
	unsigned group;
	bool all;
	struct comparison_opts comparison;
	struct option_list conditions;
};

/* One of the inputs, and what was made of it. */
struct side {
	struct input in;
	struct sm_profile *profile;
	struct sm_table *table;
};

struct run {
	struct diff_opts o;
	struct selection selection;
	struct comparison comparison;
	struct sm_condition *conditions;
	struct side *sides;
	size_t n;
};

static const struct option_def OPTIONS[] = {
	OPT_U64('n', "limit", diff_opts, limit, "N", 0, "how many rows (10; 0 = all)"),
	OPT_CHOICE('g', "group-by", diff_opts, group, "GROUP", SELECTION_GROUPS,
		"what a row is (stack)"),
	OPT_FLAG('a', "all", diff_opts, all, "show rows that differ within chance too"),
	COMPARISON_OPTIONS(diff_opts),
	OPT_LIST(0, "fail-if", diff_opts, conditions, "EXPR", "",
		"exit with 1 where this holds, as grown>1M or new-rows>0; repeatable"),
};

static struct sm_error *read_conditions(struct run *r)
{
	struct sm_error *err = NULL;

	r->conditions = calloc(r->o.conditions.n + 1, sizeof(*r->conditions));
	if (!r->conditions)
		return sm_error_nomem();
	for (size_t i = 0; !err && i < r->o.conditions.n; i++)
		err = sm_condition_parse(r->o.conditions.items[i], r->n > 2, &r->conditions[i]);
	return err;
}

static struct sm_error *check_inputs(char **paths, size_t n)
{
	size_t pipes = 0;

	if (n < 2)
		return sm_error_new(SM_E_USAGE, NULL, n ? "only one input" : "nothing to compare",
			"name two inputs, the older one first, or a series of more");
	for (size_t i = 0; i < n; i++)
		pipes += !strcmp(paths[i], "-");
	if (pipes > 1)
		return sm_error_new(SM_E_USAGE, NULL, "standard input twice",
			"'-' can be one of the inputs only");
	return NULL;
}

static struct sm_error *read_options(struct run *r, const struct cli *cli, char **paths)
{
	struct sm_error *err = check_inputs(paths, r->n);

	if (!err)
		err = selection_read(&r->selection, &cli->selection, cli);
	if (err)
		return err;
	selection_group(&r->selection, r->o.group);
	r->comparison.diff.all = r->o.all;
	r->comparison.diff.keep_chance = cli->output.format != 0;
	r->comparison.diff.limit = r->o.limit;
	err = comparison_read(&r->o.comparison, &r->comparison);
	return err ? err : read_conditions(r);
}

/* What was refused for some of the inputs, and for how many. */
struct refusals {
	struct sm_error *last;
	size_t n;
};

/* --vmlinux names one file, and the inputs may be of several kernels: it serves those that it
 * belongs to, the others look for their own. */
static struct sm_error *count_side(struct run *r, struct cli *cli, const char *path,
	struct side *side, struct refusals *refusals)
{
	const char *vmlinux = cli->symbols.vmlinux;
	struct sm_error *err;

	err = selection_count(&r->selection, cli, path, &side->in, &side->profile);
	if (!err || err->code != SM_E_REFUSED || !vmlinux || !strcmp(path, "-") || !err->path ||
		strcmp(err->path, vmlinux) != 0)
		return err;
	sm_error_free(refusals->last);
	refusals->last = err;
	refusals->n++;
	input_close(&side->in, cli);
	cli->symbols.vmlinux = NULL;
	err = selection_count(&r->selection, cli, path, &side->in, &side->profile);
	cli->symbols.vmlinux = vmlinux;
	return err;
}

static struct sm_error *count_sides(struct run *r, struct cli *cli, char **paths)
{
	enum sm_metric asked = r->selection.table.by;
	enum sm_metric *defaults = calloc(r->n, sizeof(*defaults));
	const struct sm_profile **profiles = calloc(r->n, sizeof(struct sm_profile *));
	struct sm_error *err = defaults && profiles ? NULL : sm_error_nomem();
	struct refusals refusals = {0};

	for (size_t i = 0; !err && i < r->n; i++) {
		r->selection.table.by = asked;
		err = count_side(r, cli, paths[i], &r->sides[i], &refusals);
		if (err)
			break;
		defaults[i] = r->selection.table.by;
		profiles[i] = r->sides[i].profile;
		input_partial(&r->sides[i].in, cli);
	}
	if (!err && refusals.n == r->n) {
		err = refusals.last;
		refusals.last = NULL;
	}
	if (!err && asked == SM_M_NR)
		r->selection.table.by = comparison_metric(profiles, defaults, r->n);
	if (!err)
		err = comparison_check(profiles, r->n, r->selection.table.by);
	sm_error_free(refusals.last);
	free(profiles);
	free(defaults);
	return err;
}

static struct sm_error *compare(struct run *r, struct sm_diff **diff)
{
	const struct sm_table **tables = calloc(r->n, sizeof(struct sm_table *));
	struct sm_error *err = tables ? NULL : sm_error_nomem();

	r->selection.table.limit = 0;
	r->selection.table.unsorted = true;
	for (size_t i = 0; !err && i < r->n; i++) {
		err = sm_table_build(r->sides[i].profile, r->sides[i].in.syms, &r->selection.table,
			&r->sides[i].table);
		if (!err)
			tables[i] = r->sides[i].table;
	}
	if (!err)
		err = sm_diff_build(tables, r->n, &r->comparison.diff, diff);
	free(tables);
	return err;
}

/* An input in which nothing was counted passes most conditions, and should pass none. */
static struct sm_error *check_counted(const struct run *r)
{
	for (size_t i = 0; i < r->n && r->o.conditions.n; i++) {
		const struct sm_table *table = r->sides[i].table;
		uint64_t any = 0;

		for (unsigned m = 0; m < SM_M_NR; m++)
			any |= r->sides[i].profile->totals[m];
		if (!any)
			return sm_error_new(SM_E_MISSING,
				sm_source_path(table->profile->trace->src), "nothing was counted",
				"so --fail-if has nothing to judge");
	}
	return NULL;
}

/* Says which conditions hold. */
static struct sm_error *check_conditions(const struct run *r, const struct sm_diff *diff)
{
	struct sm_buf why = {0};
	struct sm_error *err;
	size_t held = 0;

	for (size_t i = 0; i < r->o.conditions.n; i++) {
		size_t before = why.len;

		if (held)
			sm_buf_adds(&why, "; ");
		sm_buf_addf(&why, "'%s' holds: ", r->conditions[i].text);
		if (sm_condition_holds(&r->conditions[i], diff, &why)) {
			held++;
		} else if (!why.failed) {
			why.len = before;
			why.data[before] = '\0';
		}
	}
	if (why.failed)
		err = sm_error_nomem();
	else
		err = held ? sm_error_new(SM_E_OTHER, NULL, "--fail-if", "%s", why.data) : NULL;
	sm_buf_release(&why);
	return err;
}

static void say_unused(const struct run *r, const struct cli *cli, const struct sm_diff *diff)
{
	for (size_t i = 0; i < sm_suppressions_count(r->comparison.suppressions); i++) {
		const struct sm_suppression *s = sm_suppressions_get(r->comparison.suppressions, i);

		if (!diff->suppression_used[i])
			sm_log(&cli->log, SM_WARN, "%s:%u: '%s' matches nothing",
				r->o.comparison.suppress, s->line, s->pattern);
	}
}

static struct sm_error *print(const struct run *r, struct cli *cli, const struct sm_diff *diff)
{
	const struct sm_diff_style style = {
		.base = {.color = cli_color(cli)},
		.unicode = terminal_is_utf8(),
		.suppressed = cli->log_opts.verbose > 0,
	};
	struct sm_error *err;
	struct sm_out out;

	say_unused(r, cli, diff);
	err = cli_open_output(cli, &out);
	if (err)
		return err;
	sm_diff_formats[cli->output.format].write(diff, &style, &out);
	return cli_close_output(cli, &out, NULL);
}

static void run_release(struct run *r, struct cli *cli)
{
	for (size_t i = 0; r->sides && i < r->n; i++) {
		sm_table_free(r->sides[i].table);
		sm_profile_free(r->sides[i].profile);
		input_close(&r->sides[i].in, cli);
	}
	free(r->sides);
	comparison_release(&r->comparison);
	free(r->conditions);
	selection_release(&r->selection);
	option_list_release(&r->o.conditions);
}

static int run(int argc, char **argv, struct cli *cli)
{
	struct run r = {.o.limit = 10};
	struct sm_diff *diff = NULL;
	struct sm_error *err;
	int status;

	if (!cli_parse(cli, &r.o, &argc, argv, &status)) {
		run_release(&r, cli);
		return status;
	}
	r.n = (size_t)argc;
	r.sides = calloc(r.n + 1, sizeof(*r.sides));
	err = r.sides ? read_options(&r, cli, argv) : sm_error_nomem();
	if (!err)
		err = count_sides(&r, cli, argv);
	if (!err)
		err = compare(&r, &diff);
	if (!err)
		err = check_counted(&r);
	if (!err)
		err = print(&r, cli, diff);
	if (!err)
		err = check_conditions(&r, diff);
	status = cli_error(cli, err);
	sm_diff_free(diff);
	run_release(&r, cli);
	return status;
}

const struct command command_diff = {
	.name = "diff",
	.summary = "what grew, shrank, came and went between captures",
	.usage = "[OPTION]... OLD NEW\n[OPTION]... FIRST SECOND THIRD...",
	.formats = "text json csv jsonl",
	.options = OPTIONS,
	.n_options = SM_ARRAY_SIZE(OPTIONS),
	.operands = "file",
	.flags = COMMAND_LOG | COMMAND_INPUT | COMMAND_OUTPUT | COMMAND_SYMBOLS | COMMAND_METRIC |
		 COMMAND_SELECTION,
	.run = run,
};
