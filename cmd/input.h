/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What commands that read a capture do first: source, trace, symbols. */
#ifndef SMTOOL_INPUT_H
#define SMTOOL_INPUT_H

#include <smtool/record.h>
#include <smtool/symbol.h>

#include "cli.h"

/* What a command needs of a capture that may have both a stack map and pages. */
enum input_parts {
	INPUT_ALL,
	INPUT_MAP,       /* the map alone */
	INPUT_MAP_FIRST, /* the map alone; all where there is none */
};

/* Zero-initialise, but for what the command says; input_close() in any case. */
struct input {
	bool among_many;    /* that several threads read: it takes one, and shows no progress */
	bool later_symbols; /* input_open() leaves them to input_open_names() */
	struct sm_source *src;
	struct sm_trace *trace;
	struct sm_symbols *syms; /* NULL without names */
};

/* Opens `path` (NULL = the running kernel), with symbols unless --no-symbols. A damaged input is
 * opened as far as it is sound; input_partial() then tells. */
struct sm_error *input_open(struct input *in, struct cli *cli, const char *path,
	const char *instance, enum input_parts parts) SM_MUST_CHECK;
/* The symbols of an input that was opened without them; none with --no-symbols. */
struct sm_error *input_open_names(struct input *in, struct cli *cli) SM_MUST_CHECK;
/* The symbols of `src` (NULL = of the files alone that the options name) as the options say. What
 * they are read from is borrowed: `src` and `cli` live longer. */
struct sm_error *input_open_symbols(
	struct cli *cli, const struct sm_source *src, struct sm_symbols **syms) SM_MUST_CHECK;
/* What the options and the environment say about symbols; borrowed from both. */
struct sm_error *input_symbols_opts(struct cli *cli, struct sm_symbols_opts *opts) SM_MUST_CHECK;
/* Why only a part of the input could be read, so far as it was: the caller's. NULL = all was. */
struct sm_error *input_damage(struct input *in) SM_MUST_CHECK;
/* Says once, after the work, that only a part could be read; the exit status tells too. */
void input_partial(struct input *in, struct cli *cli);
void input_close(struct input *in, struct cli *cli);

/* At most one operand, the input: NULL when there is none. False: more, and *status tells. */
bool input_operand(
	struct cli *cli, int argc, char **argv, const char **path, int *status) SM_MUST_CHECK;

/* Numbers of an option that takes them singly or as a list: "1,2,3". *numbers is the caller's to
 * free. */
struct sm_error *input_numbers(const char *option, const struct option_list *list, int64_t max,
	int64_t **numbers, size_t *n) SM_MUST_CHECK;
/* Splits "a,b" of each item; *words and what it points to are one block to free. */
struct sm_error *input_words(
	const struct option_list *list, const char ***words, size_t *n) SM_MUST_CHECK;

#endif
