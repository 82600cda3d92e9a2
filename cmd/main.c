/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "cli.h"
#include "index_builder.h"

/*
 * Descriptors 0 to 2 that the caller closed would go to the next files opened, and results would be
 * written into them. What stands in fails: reading a write-only descriptor, and the reverse.
 */
static bool reserve_standard_fds(void)
{
	for (int fd = 0; fd <= 2; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		if (open("/dev/null", fd ? O_RDONLY : O_WRONLY) != fd)
			return false;
	}
	return true;
}

/* What the C library still holds, and what the kernel tells only at the end. */
static struct sm_error *close_stdout(void)
{
	errno = 0;
	if ((fflush(stdout) || ferror(stdout) || close(STDOUT_FILENO)) && errno)
		return sm_error_errno(errno, "standard output", "can't write", NULL);
	return NULL;
}

static struct sm_error *print(void (*text)(struct sm_out *out), int fd)
{
	struct sm_error *err;
	struct sm_out out;

	err = sm_out_init_fd(&out, fd, "standard output");
	if (err)
		return err;
	text(&out);
	return sm_out_finish(&out);
}

static void print_version(struct sm_out *out)
{
	sm_out_str(out, "smtool " SMTOOL_VERSION "\n");
}

/* `smtool` without a command, or with options of its own. */
static int run_bare(struct cli *cli, int argc, char **argv)
{
	static const struct option_def defs[] = {
		{.name = "version", .type = OPTION_FLAG, .help = "print the version"},
		{.short_name = 'h', .name = "help", .type = OPTION_HELP, .help = "help"},
	};
	bool version = false, help = false;
	struct option_table table = {
		.defs = defs,
		.n = SM_ARRAY_SIZE(defs),
		.base = &version,
	};
	struct sm_error *err;

	err = option_parse(&table, 1, OPTION_STOP_AT_OPERAND, &argc, argv, &help);
	if (err)
		return cli_error(cli, err);
	if (help)
		return cli_error(cli, print(command_print_overview, STDOUT_FILENO));
	if (version)
		return cli_error(cli, print(print_version, STDOUT_FILENO));
	sm_error_free(print(command_print_overview, STDERR_FILENO));
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	const struct command *command = NULL;
	bool bare = argc < 2 || argv[1][0] == '-';
	struct sm_error *err;
	struct cli cli;
	int status;

	if (!reserve_standard_fds())
		return EXIT_FAILED;
	if (!bare)
		command = command_find(argv[1]);
	cli_init(&cli, command);
	if (bare)
		status = run_bare(&cli, argc, argv);
	else if (!command)
		status = cli_error(&cli, command_unknown(argv[1]));
	else
		status = command->run(argc - 1, argv + 1, &cli);
	err = close_stdout();
	if (err) {
		int failed = cli_error(&cli, err);

		if (status == EXIT_DONE || status == EXIT_PARTIAL)
			status = failed;
	}
	index_builder_start(&cli);
	cli_release(&cli);
	return status;
}
