/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files behind diff.h share. */
#ifndef SM_TABLE_DIFF_INTERNAL_H
#define SM_TABLE_DIFF_INTERNAL_H

#include "join.h"

struct sm_diff_private {
	struct join join;
	struct address_numbers *numbers; /* by input */
	double *times, *scaled;          /* by input; the latter is scratch */
	const char **notes;
	size_t notes_cap;
	struct sm_arena arena; /* of notes */
};

/* ---- diff_inputs.c ---- */

/* Fills windows, totals and times of the inputs. */
struct sm_error *sm_diff_describe(
	struct sm_diff *d, const struct sm_table *const *tables) SM_MUST_CHECK;
/* What makes the inputs differ beside their rows. After joining. False when memory is short. */
bool sm_diff_note(struct sm_diff *d) SM_MUST_CHECK;

/* ---- diff_rows.c ---- */

/* From joined rows to judged and sorted ones. False when memory is short. */
bool sm_diff_judge(struct sm_diff *d) SM_MUST_CHECK;

#endif
