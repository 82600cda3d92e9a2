/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "selection.h"

struct top_opts {
	uint64_t limit;
	unsigned group;
};

static const struct option_def OPTIONS[] = {
	OPT_U64('n', "limit", top_opts, limit, "N", 0, "how many rows (10; 0 = all)"),
	OPT_CHOICE('g', "group-by", top_opts, group, "GROUP", SELECTION_GROUPS,
		"what a row is (stack)"),
};

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

static int run(int argc, char **argv, struct cli *cli)
{
	struct top_opts o = {.limit = 10};
	struct selection s = {0};
	struct sm_profile *profile = NULL;
	struct sm_table *table = NULL;
	struct input in = {0};
	struct sm_error *err;
	const char *path;
	int status;

	if (!cli_parse(cli, &o, &argc, argv, &status) ||
		!input_operand(cli, argc, argv, &path, &status))
		return status;
	err = selection_read(&s, &cli->selection, cli);
	selection_group(&s, o.group);
	s.table.limit = o.limit;
	if (!err)
		err = selection_count(&s, cli, path, &in, &profile);
	if (!err)
		err = sm_table_build(profile, in.syms, &s.table, &table);
	if (!err) {
		input_partial(&in, cli);
		err = print(cli, table);
	}
	status = cli_error(cli, err);
	sm_table_free(table);
	sm_profile_free(profile);
	input_close(&in, cli);
	selection_release(&s);
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
	.flags = COMMAND_LOG | COMMAND_INPUT | COMMAND_OUTPUT | COMMAND_SYMBOLS | COMMAND_METRIC |
		 COMMAND_SELECTION,
	.run = run,
};
