/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff: tables of two or more inputs, joined by what their frames are. Two are compared; of more,
 * each row is a series in time that gets a verdict. Part of room table.
 */
#ifndef SMTOOL_DIFF_H
#define SMTOOL_DIFF_H

#include <smtool/table.h>

enum sm_match {
	SM_MATCH_EXACT,    /* frames are the same function, offset in it and module's build id, so
			      that stacks are when their sm_stack_key() would be; by address where
			      there    is no symbol */
	SM_MATCH_FUNCTION, /* the same function and module, whatever the build: for other kernels.
			      What compilers append to names (.isra.0, .cold) is left out. */
};

/* ---- suppressions: rows that are known and accepted ---- */

struct sm_suppression {
	const char *pattern; /* POSIX extended regular expression on "name [module]" of any frame,
				or on a group's label */
	const char *reason;  /* NULL = none is given */
	unsigned line;       /* in its file */
};

struct sm_suppressions;

/*
 * One a line: PATTERN, or PATTERN # REASON with blanks before the #. Blank lines, and those that
 * begin with #, are none. SM_E_USAGE, with `path` and the line, for what isn't a regular expression
 * or no text at all.
 */
struct sm_error *sm_suppressions_parse(const char *path, const char *text, size_t len,
	struct sm_suppressions **suppressions) SM_MUST_CHECK;
void sm_suppressions_free(struct sm_suppressions *s);
size_t sm_suppressions_count(const struct sm_suppressions *s);
const struct sm_suppression *sm_suppressions_get(const struct sm_suppressions *s, size_t i);

/* ---- the comparison ---- */

struct sm_diff_opts {
	enum sm_match match;
	bool normalize;   /* values are per second of each input's window */
	double fdr;       /* the share of chance findings that is accepted among significant rows */
	bool all;         /* no noise rule: every row counts */
	bool keep_chance; /* rows within chance stay among the rows, marked */
	size_t limit;     /* of rows; 0 = all */
	const struct sm_suppressions *suppressions; /* NULL = none; outlives the diff */
	/* Asked every thousand rows or so; true ends it with an SM_E_STOPPED. NULL = never. */
	bool (*stopped)(void *ctx);
	void *stopped_ctx;
};

enum sm_diff_status {
	SM_DIFF_NEW,
	SM_DIFF_GONE,
	SM_DIFF_GROWN,
	SM_DIFF_SHRUNK,
	SM_DIFF_EQUAL,
	SM_DIFF_STATUS_NR
};
const char *sm_diff_status_name(enum sm_diff_status status);

enum sm_verdict {
	SM_VERDICT_GROWING,    /* and nothing says that it will stop */
	SM_VERDICT_SATURATING, /* it grew, and growth fades or has ended */
	SM_VERDICT_BURSTY,     /* it moves, to no end */
	SM_VERDICT_SHRINKING,
	SM_VERDICT_FLAT,
	SM_VERDICT_TOO_FEW, /* points: see SM_TREND_POINTS */
	SM_VERDICT_NR
};
const char *sm_verdict_name(enum sm_verdict verdict);

/* Fewer points than this get no verdict. */
#define SM_TREND_POINTS 4

struct sm_trend {
	enum sm_verdict verdict;
	double slope;      /* Theil-Sen, per unit of time */
	double confidence; /* in the verdict: 0 to 1 */
};

/*
 * Judges n values at increasing times. `moved`: the values differ by more than chance. See
 * smtool-diff(1) for the rule. False when memory is short.
 */
bool sm_trend_judge(const double *times, const double *values, size_t n, bool moved,
	struct sm_trend *trend) SM_MUST_CHECK;

struct sm_diff_input {
	const struct sm_table *table; /* borrowed */
	uint64_t total;               /* of the metric, over all rows that the filters chose */
	double window;                /* seconds; 0 = unknown */
	double time;                  /* of the series, from its first input */
	size_t addresses, unresolved; /* distinct ones in its stacks; those without a name */
};

struct sm_diff_row {
	const char *label;              /* NULL for a stack, as in a table */
	size_t input;                   /* the last one that has the row, ... */
	const struct sm_table_row *row; /* ... and what it is there */
	const uint64_t *values;         /* by input; 0 where it hasn't it */
	const uint64_t *counts;         /* the objects or events behind them */
	double delta;                   /* last - first, per second where normalized */
	double p, q; /* that it is chance: alone, and among all rows; 1 where it can't be told */
	bool significant;
	enum sm_diff_status status;
	size_t suppression;    /* SIZE_MAX = none */
	struct sm_trend trend; /* of a series */
};

/* Rows together. Both figures are positive. */
struct sm_diff_sum {
	size_t rows;
	double up, down;
	double most; /* the largest single change */
};

/* Read-only to users. */
struct sm_diff {
	struct sm_diff_opts opts;
	enum sm_metric by;
	bool is_bytes; /* the metric counts bytes */
	struct sm_diff_input *inputs;
	size_t ninputs;
	bool time_is_seconds;     /* else steps from input to input */
	struct sm_diff_row *rows; /* the shown ones, in the order of the report */
	size_t nrows;
	struct sm_diff_row *suppressed; /* all that differ, in the same order */
	size_t nsuppressed;
	size_t equal_rows;
	struct sm_diff_sum hidden;   /* by the limit */
	struct sm_diff_sum chance;   /* differ within chance; among `rows` where they are kept */
	struct sm_diff_sum accepted; /* suppressed */
	/* Of rows that count: significant (or all, with opts.all), and not suppressed. */
	struct sm_diff_sum of_status[SM_DIFF_STATUS_NR];
	struct sm_diff_sum of_verdict[SM_VERDICT_NR];
	/* By suppression: the rows that it was the first to match. Used: any matched, also equal
	 * ones. */
	struct sm_diff_sum *of_suppression;
	bool *suppression_used;
	const char *const *notes; /* what to know before believing it, a line each */
	size_t nnotes;
	struct sm_diff_private *priv;
};

/*
 * Compares n >= 2 tables, the oldest first, that were built with the same options and limit 0; they
 * outlive the diff. SM_E_USAGE where opts->normalize and a window isn't known, or the metric isn't
 * one that grows with it.
 */
struct sm_error *sm_diff_build(const struct sm_table *const *tables, size_t n,
	const struct sm_diff_opts *opts, struct sm_diff **diff) SM_MUST_CHECK;
void sm_diff_free(struct sm_diff *diff);
/* What is compared: a value of an input, per second where normalized. */
double sm_diff_value(const struct sm_diff *diff, size_t input, uint64_t value);
/* The change of all: totals, of what is suppressed too. */
double sm_diff_delta(const struct sm_diff *diff);
/* sm_stack_key(), or with SM_MATCH_FUNCTION its like for what was matched: name NUL module NUL a
 * frame, "?" NUL address where unresolved. Of a row that is a stack. */
uint64_t sm_diff_key(const struct sm_diff *diff, const struct sm_diff_row *row);

/* What a comparison calls a group of that label: with SM_MATCH_FUNCTION a function by its plain
 * name, a call site by its function's. */
void sm_match_label(
	enum sm_match match, enum sm_group group, const char *label, struct sm_buf *text);

/* ---- chance ---- */

/* How likely it is that n events that fall each into the second of two parts with probability p
 * split so unevenly, or more so: twice the smaller tail of the binomial distribution, at most 1. */
double sm_split_chance(uint64_t n, uint64_t second, double p);
/* Benjamini and Hochberg: from n ascending p-values of `tested` tests (n <= tested; the others had
 * p = 1) to the least false discovery rates at which each is significant. */
void sm_discovery_rates(const double *p, size_t n, size_t tested, double *q);
/* The upper tail of the chi-squared distribution. */
double sm_chi_squared_chance(double x, double degrees);

/* ---- conditions: --fail-if ---- */

/* WORD OP NUMBER, as in "grown>1M". See smtool-diff(1). */
struct sm_condition {
	const char *text;        /* as given, borrowed */
	unsigned word, part, op; /* private */
	double number;
	bool percent;
};

/* `series`: there are more than two inputs, which have other words. SM_E_USAGE. */
struct sm_error *sm_condition_parse(
	const char *text, bool series, struct sm_condition *condition) SM_MUST_CHECK;
/* Whether it holds; appends what the figure is: "grown is 3.2 MiB". */
bool sm_condition_holds(
	const struct sm_condition *condition, const struct sm_diff *diff, struct sm_buf *why);

#endif
