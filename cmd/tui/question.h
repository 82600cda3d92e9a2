/* SPDX-License-Identifier: GPL-2.0-or-later */
/* question: what is to be counted: the filters, as one line of text, and the moment. */
#ifndef SMTOOL_TUI_QUESTION_H
#define SMTOOL_TUI_QUESTION_H

#include <stdatomic.h>

#include "selection.h"

/* Never changed once made; shared by views, readings and both threads. */
struct question {
	atomic_uint refs;
	const char *text;           /* "comm=bash min-size=4k"; "" = all */
	struct selection selection; /* by: SM_M_NR where the text names no key */
	bool has_moment;            /* it is of a moment: what is live then */
	bool own_moment;            /* and of another one than the text says, if it says any */
	/* Private. */
	struct selection_opts opts;
	char **words;
};

/*
 * Of a text of words NAME=VALUE (or --NAME=VALUE, NAME for flags), which are the options of `top`;
 * a value with blanks stands in quotes. SM_E_USAGE for what isn't understood.
 */
struct sm_error *question_parse(
	const struct cli *cli, const char *text, struct question **q) SM_MUST_CHECK;
/* The same filters at `ns` of the trace clock. */
struct sm_error *question_at(const struct cli *cli, const struct question *q, uint64_t ns,
	struct question **at) SM_MUST_CHECK;
/* The filters of `text` at the moment of `q`, or the one that the text says. */
struct sm_error *question_filter(const struct cli *cli, const char *text, const struct question *q,
	struct question **out) SM_MUST_CHECK;
/* The same filters over time: without a moment or an age. */
struct sm_error *question_whole(
	const struct cli *cli, const struct question *q, struct question **out) SM_MUST_CHECK;
/* What happened after `from` and up to `to`, ns of the trace clock. */
struct sm_error *question_between(const struct cli *cli, const struct question *q, uint64_t from,
	uint64_t to, struct question **out) SM_MUST_CHECK;
/* "at 12.345": of one that isn't in the text; nothing else. */
void question_moment(const struct question *q, struct sm_buf *text);
struct question *question_get(struct question *q);
void question_put(struct question *q);
/* They choose the same events: what differs is how stacks are shown. */
bool questions_count_alike(const struct question *a, const struct question *b);
/* The text that stands for options which were given on the command line. */
void question_text(const struct selection_opts *o, struct sm_buf *text);
/* Names that a word may begin with: the i-th one, with whether it takes a value; NULL at the end.
 */
const char *question_word(size_t i, bool *takes_value);

#endif
