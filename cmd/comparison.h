/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How inputs are compared, for the commands that do. */
#ifndef SMTOOL_COMPARISON_H
#define SMTOOL_COMPARISON_H

#include <smtool/diff.h>

#include "selection.h"

struct comparison_opts {
	unsigned match;
	bool normalize;
	const char *fdr, *suppress;
};

/* Their options, of a struct that has them as `comparison`. */
#define COMPARISON_OPTIONS(S)                                                                   \
	OPT_CHOICE(0, "match", S, comparison.match, "HOW", "exact function",                    \
		"what makes frames the same (exact); function: also in other kernel builds"),   \
		OPT_FLAG(0, "normalize", S, comparison.normalize,                               \
			"compare per second of each window"),                                   \
		OPT_STRING(0, "fdr", S, comparison.fdr, "Q", "",                                \
			"the share of chance findings among the rows that is accepted (0.05)"), \
		OPT_STRING(0, "suppress", S, comparison.suppress, "FILE", "file",               \
			"leave out rows that match a pattern of FILE")

/* Zero-initialise; comparison_release() in any case, when no diff uses it any more. */
struct comparison {
	struct sm_diff_opts diff;
	struct sm_suppressions *suppressions;
};

struct sm_error *comparison_read(
	const struct comparison_opts *o, struct comparison *c) SM_MUST_CHECK;
void comparison_release(struct comparison *c);

/* The key where none was given: what each input is ranked by, `defaults`, where that is the same;
 * else what all of them know. */
enum sm_metric comparison_metric(
	const struct sm_profile *const *profiles, const enum sm_metric *defaults, size_t n);
/* Slab objects here and pages there have nothing to do with each other: SM_E_USAGE. */
struct sm_error *comparison_check(
	const struct sm_profile *const *profiles, size_t n, enum sm_metric by) SM_MUST_CHECK;

#endif
