/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <unistd.h>

#include "cli.h"

static int run(int argc, char **argv, struct cli *cli)
{
	const struct command *command = NULL;
	struct sm_error *err;
	struct sm_out out;
	int status;

	if (!cli_parse(cli, NULL, &argc, argv, &status))
		return status;
	if (argc > 1)
		return cli_usage(cli, "more than one command");
	if (argc) {
		command = command_find(argv[0]);
		if (!command)
			return cli_error(cli, command_unknown(argv[0]));
	}
	err = sm_out_init_fd(&out, STDOUT_FILENO, "standard output");
	if (err)
		return cli_error(cli, err);
	if (command) {
		command_print_help(&out, command);
		sm_out_f(&out, "\n'man smtool-%s' tells more.\n", command->name);
	} else {
		command_print_overview(&out);
	}
	return cli_error(cli, sm_out_finish(&out));
}

const struct command command_help = {
	.name = "help",
	.summary = "lists the commands, or the options of one",
	.usage = "[COMMAND]",
	.operands = "commands",
	.run = run,
};
