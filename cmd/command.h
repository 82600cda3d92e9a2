/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SMTOOL_COMMAND_H
#define SMTOOL_COMMAND_H

#include "option.h"

struct cli;

/* The shared groups that a command can make use of: what it doesn't name, it doesn't accept. */
enum {
	COMMAND_LOG = 1 << 0,    /* -q, -v */
	COMMAND_INPUT = 1 << 1,  /* --lenient, --threads */
	COMMAND_OUTPUT = 1 << 2, /* -o, --color, --no-pager */
	COMMAND_SYMBOLS = 1 << 3,
	COMMAND_STOP_AT_OPERAND = 1 << 4, /* operands may look like options: record -- CMD */
	COMMAND_METRIC = 1 << 5,          /* --by, --at */
	COMMAND_SELECTION = 1 << 6,       /* what chooses events, stacks and frames */
};

struct command {
	const char *name;
	const char *summary; /* a phrase in lower case, for the list of commands and -h */
	const char *usage;   /* what follows the name, one way to call it a line */
	/* What --format takes, the default first; one of them is "json". cli->output.format is the
	 * index of the one given. NULL: neither --format nor --json. */
	const char *formats;
	const struct option_def *options; /* its own */
	size_t n_options;
	/* How operands are completed: as struct option_def.complete, or "commands" for commands of
	 * smtool, "program" for a program and its arguments. NULL: there are none. */
	const char *operands;
	unsigned flags;
	/* Returns the exit status. argv[0] is the command's name; cli_parse() does the rest. */
	int (*run)(int argc, char **argv, struct cli *cli);
};

/* All commands, in the order of commands.def. */
const struct command *const *command_list(size_t *n);
/* NULL when there is none. */
const struct command *command_find(const char *name);

/* The tables of a command: its own first, which fills `own`, then the shared ones, which fill
 * `cli`. Both are NULL where the tables are only printed. Returns how many. */
#define COMMAND_MAX_TABLES 9
size_t command_tables(const struct command *command, void *own, struct cli *cli,
	struct option_table tables[COMMAND_MAX_TABLES]);

void command_print_help(struct sm_out *out, const struct command *command);
/* The list of commands, as `smtool -h` prints it. */
void command_print_overview(struct sm_out *out);
/* "unknown command 'x' (did you mean 'y'?)" */
struct sm_error *command_unknown(const char *name) SM_MUST_CHECK;

#endif
