/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "selection.h"
#include "terminal.h"

#define MAX_SUPPRESSIONS ((size_t)16 << 20) /* bytes of a file */

struct diff_opts {
	uint64_t limit;
	unsigned group, match;
	bool normalize, all;
	const char *fdr, *suppress;
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
	struct sm_diff_opts diff;
	struct sm_condition *conditions;
	struct sm_suppressions *suppressions;
	struct side *sides;
	size_t n;
};

static const struct option_def OPTIONS[] = {
	OPT_U64('n', "limit", diff_opts, limit, "N", 0, "how many rows (10; 0 = all)"),
	OPT_CHOICE('g', "group-by", diff_opts, group, "GROUP", SELECTION_GROUPS,
		"what a row is (stack)"),
	OPT_CHOICE(0, "match", diff_opts, match, "HOW", "exact function",
		"what makes frames the same (exact); function: also in other kernel builds"),
	OPT_FLAG(0, "normalize", diff_opts, normalize, "compare per second of each window"),
	OPT_FLAG('a', "all", diff_opts, all, "show rows that differ within chance too"),
	OPT_STRING(0, "fdr", diff_opts, fdr, "Q", "",
		"the share of chance findings among the rows that is accepted (0.05)"),
	OPT_STRING(0, "suppress", diff_opts, suppress, "FILE", "file",
		"leave out rows that match a pattern of FILE"),
	OPT_LIST(0, "fail-if", diff_opts, conditions, "EXPR", "",
		"exit with 1 where this holds, as grown>1M or new-rows>0; repeatable"),
};

static struct sm_error *read_fdr(struct run *r)
{
	char *end;

	r->diff.fdr = 0.05;
	if (!r->o.fdr)
		return NULL;
	r->diff.fdr = strtod(r->o.fdr, &end);
	if (end == r->o.fdr || *end || !(r->diff.fdr >= 0 && r->diff.fdr <= 1))
		return sm_error_new(SM_E_USAGE, NULL, "no rate of false discoveries",
			"--fdr '%s': give a number from 0 to 1", r->o.fdr);
	return NULL;
}

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

static struct sm_error *read_all(int fd, const char *path, struct sm_buf *text)
{
	char part[65536];
	ssize_t n;

	while ((n = read(fd, part, sizeof(part)))) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return sm_error_errno(errno, path, "cannot read suppressions", NULL);
		if (text->len + (size_t)n > MAX_SUPPRESSIONS)
			return sm_error_new(SM_E_REFUSED, path, "too long for suppressions",
				"this is more than %zu MiB", MAX_SUPPRESSIONS >> 20);
		sm_buf_add(text, part, (size_t)n);
		if (text->failed)
			return sm_error_nomem();
	}
	return NULL;
}

static struct sm_error *read_suppressions(struct run *r)
{
	struct sm_buf text = {0};
	struct sm_error *err;
	int fd;

	if (!r->o.suppress)
		return NULL;
	fd = open(r->o.suppress, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return sm_error_errno(errno, r->o.suppress, "cannot open suppressions", NULL);
	err = read_all(fd, r->o.suppress, &text);
	close(fd);
	if (!err)
		err = sm_suppressions_parse(
			r->o.suppress, text.data ? text.data : "", text.len, &r->suppressions);
	sm_buf_release(&text);
	r->diff.suppressions = r->suppressions;
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
		err = selection_read(&r->selection, cli);
	if (err)
		return err;
	selection_group(&r->selection, r->o.group);
	r->diff.match = r->o.match ? SM_MATCH_FUNCTION : SM_MATCH_EXACT;
	r->diff.normalize = r->o.normalize;
	r->diff.all = r->o.all;
	r->diff.keep_chance = cli->output.format != 0;
	r->diff.limit = r->o.limit;
	err = read_fdr(r);
	if (!err)
		err = read_conditions(r);
	return err ? err : read_suppressions(r);
}

/* The key where none was given: what each input is ranked by, or else what all of them know. */
static enum sm_metric common_metric(const struct run *r, const enum sm_metric *defaults)
{
	static const enum sm_metric FALLBACKS[] = {SM_M_REF_COUNT, SM_M_LIVE_BYTES, SM_M_BYTES};
	uint32_t known = UINT32_MAX;
	bool same = true;

	for (size_t i = 0; i < r->n; i++) {
		known &= r->sides[i].profile->known;
		same &= defaults[i] == defaults[0];
	}
	for (size_t i = 0; !same && i < SM_ARRAY_SIZE(FALLBACKS); i++)
		if (known & (1u << FALLBACKS[i]))
			return FALLBACKS[i];
	return defaults[0];
}

/* Slab objects here and pages there have nothing to do with each other. */
static struct sm_error *check_families(const struct run *r)
{
	static const char *const NAMES[] = {
		[SM_FAMILY_SLAB] = "slab allocations", [SM_FAMILY_PAGE] = "page allocations"};
	const struct side *a = &r->sides[0];

	for (size_t i = 1; i < r->n; i++) {
		const struct side *b = &r->sides[i];
		enum sm_family x = a->profile->family, y = b->profile->family;

		if (x == y || x == SM_FAMILY_AUTO || y == SM_FAMILY_AUTO ||
			r->selection.table.by == SM_M_REF_COUNT)
			continue;
		return sm_error_new(SM_E_USAGE, sm_source_path(b->in.src),
			"nothing to compare with",
			"it has %s, '%s' %s: choose with --slab or --page", NAMES[y],
			sm_source_path(a->in.src), NAMES[x]);
	}
	return NULL;
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
	struct sm_error *err = defaults ? NULL : sm_error_nomem();
	struct refusals refusals = {0};

	for (size_t i = 0; !err && i < r->n; i++) {
		r->selection.table.by = asked;
		err = count_side(r, cli, paths[i], &r->sides[i], &refusals);
		if (err)
			break;
		defaults[i] = r->selection.table.by;
		input_partial(&r->sides[i].in, cli);
	}
	if (!err && refusals.n == r->n) {
		err = refusals.last;
		refusals.last = NULL;
	}
	if (!err && asked == SM_M_NR)
		r->selection.table.by = common_metric(r, defaults);
	sm_error_free(refusals.last);
	free(defaults);
	return err ? err : check_families(r);
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
		err = sm_diff_build(tables, r->n, &r->diff, diff);
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
	for (size_t i = 0; i < sm_suppressions_count(r->suppressions); i++) {
		const struct sm_suppression *s = sm_suppressions_get(r->suppressions, i);

		if (!diff->suppression_used[i])
			sm_log(&cli->log, SM_WARN, "%s:%u: '%s' matches nothing", r->o.suppress,
				s->line, s->pattern);
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
	sm_suppressions_free(r->suppressions);
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
