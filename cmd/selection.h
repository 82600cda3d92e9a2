/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the commands that show rows count, and how they say it: COMMAND_METRIC, COMMAND_SELECTION.
 */
#ifndef SMTOOL_SELECTION_H
#define SMTOOL_SELECTION_H

#include <smtool/view.h>

#include "input.h"

/* The tables of those groups, for command.c. */
const struct option_def *selection_metric_options(size_t *n);
const struct option_def *selection_filter_options(size_t *n);
void selection_opts_release(struct selection_opts *o);

/* Zero-initialise; selection_release() in any case. A command changes what it knows better. */
struct selection {
	struct sm_profile_opts profile;
	struct sm_table_opts table; /* `by` is SM_M_NR where no key was given */

	/* Private: what those two borrow. */
	const char **events, **comms, **caches, **gfps;
	int64_t *pids, *cpus, *orders;
};

/* What `o`, most often cli->selection, means; borrows its strings. SM_E_USAGE for what makes no
 * sense.
 */
struct sm_error *selection_read(
	struct selection *s, const struct selection_opts *o, const struct cli *cli) SM_MUST_CHECK;
void selection_release(struct selection *s);

/* The words of a --group-by, and what the n-th of them means. */
#define SELECTION_GROUPS "stack function caller module comm pid cpu event cache gfp order size"
void selection_group(struct selection *s, unsigned word);
/* That word itself, `len` characters. */
const char *selection_group_word(unsigned word, size_t *len);

/* Opens the input as the options say, counts, and settles s->table.by where no key was given. What
 * is worth knowing about the counts goes to cli->log. */
struct sm_error *selection_count(struct selection *s, struct cli *cli, const char *path,
	struct input *in, struct sm_profile **profile) SM_MUST_CHECK;
/* What rows are ranked by where no key is given. */
enum sm_metric selection_metric(const struct selection_opts *o, const struct sm_profile *profile);
/* The last part of it, for who counts in another way. */
void selection_warn(
	const struct selection *s, const struct cli *cli, const struct sm_profile *profile);

#endif
