/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many machines' tables as one profile: rows of the same frames (function, offset in it, build id
 * of what holds it) are one row. Memory follows distinct stacks, not machines.
 */
#ifndef SMTOOL_MERGE_H
#define SMTOOL_MERGE_H

#include <smtool/base.h>
#include <smtool/imported.h>
#include <smtool/table.h>

struct sm_merge;
struct sm_merge_machine;

struct sm_merge_opts {
	enum sm_metric spread_of; /* SM_M_NR: of what the first table knows, live_bytes, bytes or
				     ref_count */
	bool no_skip;             /* the tables were built so */
};

struct sm_merge_totals {
	uint64_t machines, tables;
	size_t rows, unresolved_rows; /* the latter have frames that no two boots share */
	enum sm_metric spread_of;
	uint32_t known;
	uint64_t totals[SM_M_ADDITIVE];
};

struct sm_error *sm_merge_new(const struct sm_merge_opts *opts, struct sm_merge **m) SM_MUST_CHECK;
void sm_merge_free(struct sm_merge *m);

/* A machine's tables (snapshots of several instances, several boots...) count as one. Several
 * machines may be filled at once, each by one thread. */
struct sm_error *sm_merge_machine_new(
	struct sm_merge *m, struct sm_merge_machine **machine) SM_MUST_CHECK;
/*
 * Adds a table of stacks, all its rows shown (limit 0). A table of a merged profile brings its
 * machines along. SM_E_USAGE where it doesn't know the metric whose spread is kept, or its own
 * spreads are of another; nothing is added then.
 */
struct sm_error *sm_merge_add(
	struct sm_merge_machine *machine, const struct sm_table *table) SM_MUST_CHECK;
/* The machine is complete, and freed. */
struct sm_error *sm_merge_machine_end(struct sm_merge_machine *machine) SM_MUST_CHECK;

/* What there is so far, borrowed from `m`. Rows are sorted by the metric whose spread is kept,
 * largest first, then by their frames: the same tables make the same profile in whatever order they
 * came. Nothing can be added afterwards. */
struct sm_error *sm_merge_finish(struct sm_merge *m, struct sm_saved *saved) SM_MUST_CHECK;
void sm_merge_totals(const struct sm_merge *m, struct sm_merge_totals *totals);

#endif
