/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of several tables that are the same, together. */
#ifndef SM_TABLE_JOIN_H
#define SM_TABLE_JOIN_H

#include "identity.h"

struct joined_row {
	uint64_t hash;          /* of what it is: also the last word in the report's order */
	const uint32_t *frames; /* numbers of identities; NULL for a label */
	uint32_t depth;
	uint32_t input; /* the last one that has it */
	const char *label;
	const struct sm_table_row *row; /* there */
};

/* Zero-initialise, but for `ninputs` and what `identities` needs. */
struct join {
	size_t ninputs;
	struct identities identities;
	struct joined_row *rows;
	size_t n, cap;
	uint64_t *values, *counts; /* ninputs a row */
	size_t values_cap, counts_cap;
	uint32_t *slots; /* by hash: index + 1 */
	size_t nslots;
	struct sm_arena arena;
	struct sm_strings labels; /* those that aren't the tables' own */
	bool (*ask)(void *ctx);   /* whether to stop: as sm_diff_opts.stopped */
	void *ask_ctx;
	bool stopped; /* it said so */
	uint32_t *scratch;
	size_t scratch_cap;
};

/* Adds the rows of the table that is input number `input`, and counts its addresses. False when
 * memory is short, or j->stopped. */
bool sm_join_add(struct join *j, const struct sm_table *table, size_t input,
	struct address_numbers *numbers) SM_MUST_CHECK;
/* Asks, of every so many rows. */
bool sm_join_stopped(struct join *j, size_t row);
/* An order that depends on what rows are alone, not on where they were met. */
int sm_join_compare(const struct join *j, const struct joined_row *a, const struct joined_row *b);
/* The first suppression that matches the row; SIZE_MAX = none. */
size_t sm_join_suppression(struct join *j, const struct joined_row *row);
void sm_join_release(struct join *j);

#endif
