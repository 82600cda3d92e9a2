/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <smtool/export.h>

#include "selection.h"

struct export_opts {
	unsigned format; /* index in sm_export_formats, NO_FORMAT = none was given */
	const char *base, *labels, *root, *device;
	bool normalize, annotate;
};

#define NO_FORMAT UINT_MAX

static const struct option_def OPTIONS[] = {
	OPT_CHOICE('f', "format", export_opts, format, "FORMAT",
		"pprof folded speedscope firefox rows svg",
		"what to write; else the name after -o tells"),
	OPT_STRING(0, "base", export_opts, base, "OLD", "file",
		"write the difference to this input: what INPUT has more or less"),
	OPT_FLAG(0, "normalize", export_opts, normalize,
		"with --base: as if OLD's window were as long as INPUT's"),
	OPT_STRING(0, "root", export_opts, root, "LIST", "comm pid cpu event cache gfp order size",
		"put frames with these attributes below each stack's root"),
	OPT_STRING(0, "labels", export_opts, labels, "LIST",
		"all none comm pid cpu cache gfp order size",
		"pprof: attributes that samples are labelled by (all)"),
	OPT_FLAG(0, "annotate", export_opts, annotate,
		"folded: add _[k] to names, _[i] to those of inlined functions"),
	OPT_STRING(0, "device", export_opts, device, "NAME", "",
		"rows: the machine that the capture is of"),
};

/* Of rows. */
enum { STACKS, FACTS, NR_ROW_FILES };
static const char *const ROW_FILES[NR_ROW_FILES] = {"stacks", "facts"};

/* One input, counted. */
struct side {
	struct input in;
	struct sm_profile *profile;
};

static void side_release(struct side *side, struct cli *cli)
{
	sm_profile_free(side->profile);
	input_close(&side->in, cli);
}

/* ---- options ---- */

static const struct {
	const char *word;
	uint32_t attrs;
} ATTRS[] = {
	{"comm", 1u << SM_ATTR_COMM},
	{"pid", 1u << SM_ATTR_PID},
	{"cpu", 1u << SM_ATTR_CPU},
	{"event", 1u << SM_ATTR_EVENT},
	{"cache", 1u << SM_ATTR_CACHE},
	{"gfp", 1u << SM_ATTR_GFP},
	{"order", 1u << SM_ATTR_ORDER},
	{"size", 1u << SM_ATTR_SIZE},
	{"none", 0},
	{"all", UINT32_MAX},
};

/* A list of ATTRS; those that aren't `allowed` are an error. */
static struct sm_error *read_attrs(
	const char *option, const char *list, uint32_t allowed, uint32_t *attrs)
{
	*attrs = 0;
	for (;;) {
		size_t len = strcspn(list, ","), i = 0;

		while (i < SM_ARRAY_SIZE(ATTRS) &&
			(strlen(ATTRS[i].word) != len || strncmp(ATTRS[i].word, list, len)))
			i++;
		if (i == SM_ARRAY_SIZE(ATTRS) ||
			(ATTRS[i].attrs != UINT32_MAX && ATTRS[i].attrs & ~allowed))
			return sm_error_new(SM_E_USAGE, NULL, "no such attribute",
				"%s '%.*s': a list of comm, pid, cpu, %scache, gfp, order, size",
				option, (int)len, list,
				allowed & 1u << SM_ATTR_EVENT ? "event, " : "");
		*attrs |= ATTRS[i].attrs & allowed;
		list += len;
		if (!*list)
			return NULL;
		list++;
	}
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);

	return n >= k && !strcmp(s + n - k, end);
}

/* The format whose usual ending the name has, the longest. */
static unsigned format_of_name(const char *path)
{
	unsigned best = NO_FORMAT;
	size_t len = 0;

	for (unsigned i = 0; path && sm_export_formats[i].name; i++) {
		const char *ending = sm_export_formats[i].ending;

		if (ending && ends_with(path, ending) && strlen(ending) > len) {
			best = i;
			len = strlen(ending);
		}
	}
	return best;
}

static bool is_folder(const char *path)
{
	struct stat st;

	return ends_with(path, "/") || (!stat(path, &st) && S_ISDIR(st.st_mode));
}

/* The name of a file of rows; NULL when memory is short. */
static char *row_file(const char *path, const char *kind)
{
	const char *between = !is_folder(path) ? "." : ends_with(path, "/") ? "" : "/";
	char *name;

	return asprintf(&name, "%s%s%s.jsonl", path, between, kind) < 0 ? NULL : name;
}

/* Before the work, not only after it. */
static struct sm_error *check_files(const struct cli *cli, const struct sm_export_format *format)
{
	struct sm_error *err = NULL;

	if (cli->symbols.force || output_is_stdout(cli->output.path))
		return NULL;
	if (format->write)
		return output_file_check(cli->output.path);
	for (unsigned i = 0; !err && i < NR_ROW_FILES; i++) {
		char *name = row_file(cli->output.path, ROW_FILES[i]);

		err = name ? output_file_check(name) : sm_error_nomem();
		free(name);
	}
	return err;
}

static struct sm_error *check_output(const struct cli *cli, const struct sm_export_format *format)
{
	if (!format->write && output_is_stdout(cli->output.path))
		return sm_error_new(SM_E_USAGE, NULL, "rows are two files",
			"-o DIR/ makes DIR/stacks.jsonl and DIR/facts.jsonl, "
			"-o NAME makes NAME.stacks.jsonl and NAME.facts.jsonl");
	if (format->binary && output_is_stdout(cli->output.path) && isatty(STDOUT_FILENO))
		return sm_error_new(SM_E_USAGE, NULL, "binary output isn't written to a terminal",
			"give -o FILE, or a pipe");
	return check_files(cli, format);
}

static struct sm_error *read_options(
	struct export_opts *o, struct selection *s, struct sm_export *x, struct cli *cli)
{
	const struct sm_export_format *format;
	struct sm_error *err = NULL;

	if (o->format == NO_FORMAT)
		o->format = format_of_name(cli->output.path);
	if (o->format == NO_FORMAT)
		return sm_error_new(SM_E_USAGE, NULL, "which format?",
			"-f is one of pprof, folded, speedscope, firefox, rows, svg");
	format = &sm_export_formats[o->format];
	if (o->base && !format->diff)
		return sm_error_new(SM_E_USAGE, NULL, "no such difference",
			"%s can't show one: --base works with pprof, folded, firefox and svg",
			format->name);
	if (o->normalize && !o->base)
		return sm_error_new(SM_E_USAGE, NULL, "--normalize needs --base", NULL);
	if (o->labels && !format->labels)
		return sm_error_new(SM_E_USAGE, NULL, "--labels is for pprof alone", NULL);
	if (o->root && !format->root)
		return sm_error_new(SM_E_USAGE, NULL, "--root isn't for this format",
			format->labels ? "pprof has labels: 'go tool pprof -tagroot=comm'"
				       : "rows have columns");
	if (o->annotate && format->write != sm_export_formats[1].write)
		return sm_error_new(SM_E_USAGE, NULL, "--annotate is for folded alone", NULL);
	if (o->device && format->write)
		return sm_error_new(SM_E_USAGE, NULL, "--device is for rows alone", NULL);
	x->annotate = o->annotate;
	x->device = o->device;
	if (format->labels)
		err = read_attrs("--labels", o->labels ? o->labels : "all", SM_EXPORT_LABEL_ATTRS,
			&x->labels);
	if (!err && o->root)
		err = read_attrs(
			"--root", o->root, SM_EXPORT_LABEL_ATTRS | 1u << SM_ATTR_EVENT, &x->root);
	if (!err)
		err = check_output(cli, format);
	if (!err)
		err = selection_read(s, &cli->selection, cli);
	s->profile.by_stack = true;
	s->profile.attrs = format->write ? x->labels | x->root : SM_EXPORT_ROWS_ATTRS;
	cli->keep_existing = !cli->symbols.force;
	return err;
}

/* ---- the work ---- */

/* When the capture was made: as it says, or as its file does. */
static int64_t time_of(const struct input *in)
{
	const char *created = in->trace->created;
	struct tm tm = {0};
	struct stat st;

	if (created && strptime(created, "%Y-%m-%dT%H:%M:%SZ", &tm))
		return (int64_t)timegm(&tm) * 1000000000;
	if (sm_source_kind(in->src) == SM_SOURCE_LIVE)
		return (int64_t)time(NULL) * 1000000000;
	if (!stat(sm_source_path(in->src), &st))
		return (int64_t)st.st_mtim.tv_sec * 1000000000;
	return 0;
}

static struct sm_error *window_of(const struct sm_profile *p, double *ns)
{
	*ns = (double)sm_profile_window_ns(p);
	if (!(*ns > 0))
		return sm_error_new(SM_E_USAGE, sm_source_path(p->trace->src),
			"--normalize needs a window", "this input has no events");
	return NULL;
}

static struct sm_error *normalize(struct sm_export *x)
{
	double now = 0, base = 0;
	struct sm_error *err = window_of(x->now.profile, &now);

	if (!err)
		err = window_of(x->base.profile, &base);
	if (!err)
		x->scale = now / base;
	return err;
}

static struct sm_error *write_one(
	struct cli *cli, const struct sm_export_format *format, const struct sm_export *x)
{
	struct sm_error *err;
	struct sm_out out;

	err = cli_open_output(cli, &out);
	if (err)
		return err;
	return cli_close_output(cli, &out, format->write(x, &out));
}

/* ---- rows: two files ---- */

struct row_files {
	char *names[NR_ROW_FILES];
	struct output_file files[NR_ROW_FILES];
	struct sm_out outs[NR_ROW_FILES];
	unsigned nopen;
};

static struct sm_error *open_row_files(struct row_files *f, struct cli *cli)
{
	const char *path = cli->output.path;

	if (is_folder(path) && !sm_make_folders(path))
		return sm_error_nomem();
	for (unsigned i = 0; i < NR_ROW_FILES; i++) {
		struct sm_error *err;

		f->names[i] = row_file(path, ROW_FILES[i]);
		if (!f->names[i])
			return sm_error_nomem();
		err = output_file_open(
			&f->files[i], f->names[i], cli->keep_existing ? OUTPUT_FILE_FORCE : NULL);
		if (err)
			return err;
		f->nopen++;
		err = sm_out_init_fd(&f->outs[i], f->files[i].fd, f->names[i]);
		if (err)
			return err;
	}
	return NULL;
}

static struct sm_error *close_row_files(struct row_files *f, struct sm_error *err)
{
	for (unsigned i = 0; i < f->nopen; i++) {
		struct sm_error *finish = f->outs[i].buf ? sm_out_finish(&f->outs[i]) : NULL;

		if (err)
			sm_error_free(finish);
		else
			err = finish;
	}
	for (unsigned i = 0; i < f->nopen; i++) {
		if (err)
			output_file_discard(&f->files[i]);
		else
			err = output_file_commit(&f->files[i]);
	}
	for (unsigned i = 0; i < NR_ROW_FILES; i++)
		free(f->names[i]);
	return err;
}

static struct sm_error *write_rows(struct cli *cli, const struct sm_export *x)
{
	struct row_files f = {0};
	struct sm_error *err;

	cli_erase_progress(cli);
	err = open_row_files(&f, cli);
	if (!err)
		err = sm_export_rows(x, &f.outs[STACKS], &f.outs[FACTS]);
	return close_row_files(&f, err);
}

/* What is in use is what pprof shows first. */
static void choose_metric(struct selection *s, const struct cli *cli, const struct sm_profile *p,
	const struct sm_export_format *format)
{
	if (format->labels && !cli->selection.by && p->known & 1u << SM_M_LIVE_BYTES)
		s->table.by = SM_M_LIVE_BYTES;
}

static int run(int argc, char **argv, struct cli *cli)
{
	struct export_opts o = {.format = NO_FORMAT};
	struct selection s = {0};
	struct sm_export x = {.scale = 1, .opts = &s.table};
	struct side now = {0}, base = {0};
	struct sm_error *err;
	const char *path;
	int status;

	if (!cli_parse(cli, &o, &argc, argv, &status) ||
		!input_operand(cli, argc, argv, &path, &status))
		return status;
	err = read_options(&o, &s, &x, cli);
	if (!err)
		err = selection_count(&s, cli, path, &now.in, &now.profile);
	if (!err)
		choose_metric(&s, cli, now.profile, &sm_export_formats[o.format]);
	if (!err && o.base)
		err = selection_count(&s, cli, o.base, &base.in, &base.profile);
	if (!err) {
		x.now = (struct sm_export_side){now.profile, now.in.syms};
		x.base = (struct sm_export_side){base.profile, base.in.syms};
		x.time_ns = time_of(&now.in);
		if (o.normalize)
			err = normalize(&x);
	}
	if (!err) {
		input_partial(&now.in, cli);
		if (o.base)
			input_partial(&base.in, cli);
		if (sm_export_formats[o.format].write)
			err = write_one(cli, &sm_export_formats[o.format], &x);
		else
			err = write_rows(cli, &x);
	}
	status = cli_error(cli, err);
	side_release(&now, cli);
	side_release(&base, cli);
	selection_release(&s);
	return status;
}

const struct command command_export = {
	.name = "export",
	.summary = "writes a profile, or the difference of two, for other tools",
	.usage = "-f FORMAT [-o FILE] [OPTION]... [INPUT]",
	.options = OPTIONS,
	.n_options = SM_ARRAY_SIZE(OPTIONS),
	.operands = "file",
	.flags = COMMAND_LOG | COMMAND_INPUT | COMMAND_OUTPUT | COMMAND_SYMBOLS | COMMAND_METRIC |
		 COMMAND_SELECTION,
	.run = run,
};
