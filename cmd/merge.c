/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <smtool/merge.h>

#include "merge_inputs.h"
#include "selection.h"

struct merge_opts {
	const char *path, *of, *inputs;
	unsigned machine;
};

static const struct option_def OPTIONS[] = {
	OPT_STRING('o', "output", merge_opts, path, "FILE", "file",
		"write the profile to FILE, which appears once it is complete"),
	OPT_STRING(0, "of", merge_opts, of, "KEY",
		"bytes count bytes_req waste live_bytes live_count peak_bytes frees ref_count",
		"whose spread over machines is kept (live_bytes, bytes or ref_count: the first "
		"that is "
		"known)"),
	OPT_CHOICE(0, "machine", merge_opts, machine, NULL, "input dir",
		"what one machine is: each input, or all inputs in one directory"),
	OPT_STRING(0, "inputs", merge_opts, inputs, "FILE", "file",
		"read more paths from FILE, one a line; - for standard input"),
};

static struct sm_error *check_output(const struct merge_opts *o, bool force)
{
	if (output_is_stdout(o->path)) {
		if (!isatty(STDOUT_FILENO))
			return NULL;
		return sm_error_new(SM_E_USAGE, NULL, "a profile isn't written to a terminal",
			"name a file: -o fleet.smp");
	}
	return force ? NULL : output_file_check(o->path);
}

static struct sm_error *write_archive(int fd, const char *path, const struct sm_buf *profile)
{
	static const char about[] = "{\n  \"format\": \"smtool-profile\",\n  \"version\": 1\n}\n";
	struct sm_archive *ar;
	struct sm_error *err = sm_archive_new(fd, path, 9, &ar);

	if (err)
		return err;
	err = sm_archive_add(ar, "smtool.json", about, sizeof(about) - 1);
	if (!err)
		err = sm_archive_add(ar, SM_MEMBER_PROFILE, profile->data, profile->len);
	if (!err)
		return sm_archive_finish(ar);
	sm_archive_free(ar);
	return err;
}

static struct sm_error *write_profile(const struct merge_opts *o, bool force, struct sm_merge *m)
{
	bool to_stdout = output_is_stdout(o->path);
	struct output_file file;
	struct sm_saved saved;
	struct sm_buf profile = {0};
	struct sm_error *err = sm_merge_finish(m, &saved);

	if (!err)
		err = sm_saved_write(&saved, &profile);
	if (!err && to_stdout) {
		err = write_archive(STDOUT_FILENO, "<stdout>", &profile);
	} else if (!err) {
		err = output_file_open(&file, o->path, force ? NULL : OUTPUT_FILE_FORCE);
		if (!err) {
			err = write_archive(file.fd, o->path, &profile);
			if (err)
				output_file_discard(&file);
			else
				err = output_file_commit(&file);
		}
	}
	sm_buf_release(&profile);
	return err;
}

static void summary_json(
	const struct sm_merge_totals *t, const struct merge_inputs *in, struct sm_out *out)
{
	struct sm_json j;

	sm_json_init(&j, out, true);
	sm_json_object(&j, NULL);
	sm_json_u64(&j, "inputs", in->n);
	sm_json_u64(&j, "failed", in->failed);
	sm_json_u64(&j, "partial", in->partial);
	sm_json_u64(&j, "machines", t->machines);
	sm_json_u64(&j, "rows", t->rows);
	sm_json_u64(&j, "unresolved_rows", t->unresolved_rows);
	sm_json_str(&j, "of", sm_metric_name(t->spread_of));
	sm_json_object(&j, "totals");
	for (unsigned m = 0; m < SM_M_ADDITIVE; m++)
		if (t->known & (1u << m))
			sm_json_u64(&j, sm_metric_name((enum sm_metric)m), t->totals[m]);
	sm_json_object_end(&j);
	sm_json_object_end(&j);
	sm_out_char(out, '\n');
}

static void summary_text(
	const struct sm_merge_totals *t, const struct merge_inputs *in, struct sm_out *out)
{
	struct sm_buf b = {0};

	sm_human_count(in->n - in->failed, &b);
	sm_buf_adds(&b, in->n - in->failed == 1 ? " input of " : " inputs of ");
	sm_human_count(t->machines, &b);
	sm_buf_adds(&b, t->machines == 1 ? " machine: " : " machines: ");
	sm_human_count(t->rows, &b);
	sm_buf_adds(&b, t->rows == 1 ? " stack" : " stacks");
	for (unsigned m = 0; m < SM_M_ADDITIVE; m++) {
		if (!(t->known & (1u << m)) || (m != SM_M_BYTES && m != SM_M_COUNT &&
						       m != SM_M_LIVE_BYTES && m != SM_M_REF_COUNT))
			continue;
		sm_buf_addf(&b, ", %s ", sm_metric_name((enum sm_metric)m));
		if (m == SM_M_BYTES || m == SM_M_LIVE_BYTES)
			sm_human_bytes(t->totals[m], &b);
		else
			sm_human_count(t->totals[m], &b);
	}
	sm_buf_addc(&b, '\n');
	if (in->failed)
		sm_buf_addf(&b, "%zu input%s left out\n", in->failed, in->failed == 1 ? "" : "s");
	if (t->unresolved_rows)
		sm_buf_addf(&b, "%zu stack%s frames without a name, which match no other boot's\n",
			t->unresolved_rows, t->unresolved_rows == 1 ? " has" : "s have");
	sm_out_bytes(out, b.data, b.len);
	sm_buf_release(&b);
}

/* On standard output, unless the profile is there: then, with -v, among the messages. */
static struct sm_error *summarize(struct cli *cli, const struct merge_opts *o,
	const struct sm_merge *m, const struct merge_inputs *in)
{
	bool json = cli->output.format == 1;
	bool to_stdout = output_is_stdout(o->path);
	struct sm_merge_totals totals;
	struct sm_error *err;
	struct sm_out out;

	sm_merge_totals(m, &totals);
	if (totals.unresolved_rows && to_stdout)
		sm_log(&cli->log, SM_WARN,
			"%zu stacks have frames without a name, which match no other boot's",
			totals.unresolved_rows);
	if (to_stdout && !json && cli->log.level < SM_INFO)
		return NULL;
	cli_erase_progress(cli);
	err = sm_out_init_fd(&out, to_stdout ? STDERR_FILENO : STDOUT_FILENO,
		to_stdout ? "<stderr>" : "<stdout>");
	if (err)
		return err;
	if (json)
		summary_json(&totals, in, &out);
	else
		summary_text(&totals, in, &out);
	return sm_out_finish(&out);
}

static struct sm_error *read_of(const struct merge_opts *o, struct sm_merge_opts *opts)
{
	opts->spread_of = SM_M_NR;
	if (!o->of)
		return NULL;
	opts->spread_of = sm_metric_find(o->of);
	if (opts->spread_of < SM_M_ADDITIVE)
		return NULL;
	return sm_error_new(SM_E_USAGE, NULL, "unknown key",
		"--of '%s': one of bytes, count, bytes_req, waste, live_bytes, live_count, "
		"peak_bytes, frees, ref_count",
		o->of);
}

static int run(int argc, char **argv, struct cli *cli)
{
	struct sm_merge_opts merge_opts = {0};
	struct merge_inputs inputs = {0};
	struct selection selection = {0};
	struct merge_opts o = {0};
	struct sm_merge *m = NULL;
	struct sm_error *err;
	int status;

	if (!cli_parse(cli, &o, &argc, argv, &status))
		return status;
	err = read_of(&o, &merge_opts);
	if (!err)
		err = selection_read(&selection, &cli->selection, cli);
	if (!err)
		err = check_output(&o, cli->symbols.force);
	if (!err)
		err = merge_inputs_gather(&inputs, argc, argv, o.inputs, o.machine == 1);
	merge_opts.no_skip = selection.table.no_skip;
	if (!err)
		err = sm_merge_new(&merge_opts, &m);
	if (!err)
		err = merge_inputs_read(&inputs, cli, &selection, m);
	if (!err)
		err = write_profile(&o, cli->symbols.force, m);
	if (!err)
		err = summarize(cli, &o, m, &inputs);
	status = cli_error(cli, err);
	sm_merge_free(m);
	merge_inputs_release(&inputs);
	selection_release(&selection);
	return status;
}

const struct command command_merge = {
	.name = "merge",
	.summary = "many captures or profiles of many machines as one profile",
	.usage = "[OPTION]... -o FILE INPUT...",
	.formats = "text json",
	.options = OPTIONS,
	.n_options = SM_ARRAY_SIZE(OPTIONS),
	.operands = "file",
	.flags = COMMAND_LOG | COMMAND_INPUT | COMMAND_SYMBOLS | COMMAND_SELECTION,
	.run = run,
};
