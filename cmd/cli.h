/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What commands share: the option groups, parsing, messages, progress, output, exit status.
 */
#ifndef SMTOOL_CLI_H
#define SMTOOL_CLI_H

#include <pthread.h>

#include "command.h"
#include "output_file.h"
#include "pager.h"

enum exit_status {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_PARTIAL = 3, /* done, but only with a part of the input */
};

enum color_mode { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct log_opts {
	bool quiet;
	unsigned verbose;
};

struct output_opts {
	unsigned format;  /* index in command->formats */
	const char *path; /* NULL = standard output */
	unsigned color;   /* enum color_mode */
	bool no_pager;
};

struct input_opts {
	bool lenient;
	uint64_t threads; /* never 0 after cli_parse() */
};

struct symbol_opts {
	const char *vmlinux;  /* NULL = look for it */
	const char *kallsyms; /* NULL = the input's own */
	const char *modules;  /* directory; NULL = the usual places */
	struct option_list debug_dirs;
	const char *kaslr; /* auto, none or an offset; NULL = auto */
	bool no_symbols, no_inlines, no_cache;
	bool force; /* build ids needn't agree */

	/* Private: where indexes are kept, owned; NULL = nowhere. */
	char *cache;
};

/* What is counted, and by what: selection.h makes sense of it. */
struct selection_opts {
	const char *by, *at, *time, *instance;
	uint64_t min_size, max_size, older, page_size;
	bool slab, page, no_skip;
	struct option_list events, comms, pids, cpus, gfps, caches, orders;
	struct option_list focus, ignore, hide;
};

struct cli {
	const struct command *command;
	struct log_opts log_opts;
	struct output_opts output;
	struct input_opts input;
	struct symbol_opts symbols;
	struct selection_opts selection;

	/* For the library. */
	struct sm_log log;
	struct sm_progress progress;

	char *missed_index; /* see index_builder.h */
	bool keep_existing; /* cli_open_output() never replaces a file */

	/* Private. */
	bool partial;
	bool to_file, to_pager;
	struct output_file file;
	struct pager pager;
	pthread_mutex_t lock; /* of what follows, and of standard error */
	bool progress_wanted, progress_shown;
	char progress_what[64];
	uint64_t progress_start, progress_drawn; /* ns */
};

void cli_init(struct cli *cli, const struct command *command);
void cli_release(struct cli *cli);

/*
 * Parses into `own`, the struct of the command's own options, which holds the defaults, and into
 * the shared groups. True: go on with argv[0..*argc - 1], the operands. False: return *status, all
 * has been said.
 */
bool cli_parse(struct cli *cli, void *own, int *argc, char **argv, int *status) SM_MUST_CHECK;

/*
 * Ends a command: prints the error, if there is one, as one line, frees it, and returns the exit
 * status. Without an error that is EXIT_DONE, or EXIT_PARTIAL after cli_partial(). A closed pipe is
 * no news: EXIT_FAILED without a word.
 */
int cli_error(struct cli *cli, struct sm_error *err);
/* Says what makes no sense in how the command was called; returns EXIT_USAGE. */
int cli_usage(struct cli *cli, const char *fmt, ...) SM_PRINTF(2, 3);
/* Says that a part of the input is left out, and why; the exit status tells too. Takes `err`. */
void cli_partial(struct cli *cli, struct sm_error *err);

/*
 * Opens where results go: -o FILE, under a temporary name until it is complete; a pager when
 * standard output is a terminal; or standard output. Open it when the work is done and printing
 * begins. One at a time.
 */
struct sm_error *cli_open_output(struct cli *cli, struct sm_out *out) SM_MUST_CHECK;
/* Closes it. With an error (which it takes and returns) FILE is left as it was; else returns what
 * went wrong in writing, if anything. So a command ends: return cli_error(cli,
 * cli_close_output(...)). */
struct sm_error *cli_close_output(
	struct cli *cli, struct sm_out *out, struct sm_error *err) SM_MUST_CHECK;

/* Whether the output is to be coloured. */
bool cli_color(const struct cli *cli);

/* Takes the line of progress away before somebody else writes to the terminal; messages of this
 * header do so by themselves. */
void cli_erase_progress(struct cli *cli);

#endif
