/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `merge` reads: many paths, several at once. */
#ifndef SMTOOL_MERGE_INPUTS_H
#define SMTOOL_MERGE_INPUTS_H

#include <smtool/merge.h>

#include "selection.h"

/* Zero-initialise; merge_inputs_release() in any case. */
struct merge_inputs {
	char **paths; /* those of one machine are neighbours */
	size_t n, cap;
	bool by_dir; /* a machine is all inputs of one directory */

	size_t failed, partial; /* after merge_inputs_read() */
};

/* The operands, and the lines of the file `list` (NULL = none, "-" = standard input). */
struct sm_error *merge_inputs_gather(struct merge_inputs *in, int argc, char **argv,
	const char *list, bool by_dir) SM_MUST_CHECK;
/*
 * Merges all, by as many threads as the options say. An input that can't be read is said, counted
 * and left out; the exit status then tells that this is a part. The error is for what ends the
 * work, or if none could be read: that one's.
 */
struct sm_error *merge_inputs_read(struct merge_inputs *in, struct cli *cli,
	const struct selection *selection, struct sm_merge *m) SM_MUST_CHECK;
void merge_inputs_release(struct merge_inputs *in);

#endif
