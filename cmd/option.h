/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Typed option tables. One table drives parsing, -h, completion, and the check of the man page
 * against it. Tables are const: a definition names a member of a struct by offset, and the
 * struct comes with each parse. A command composes its own table with shared ones.
 */
#ifndef SMTOOL_OPTION_H
#define SMTOOL_OPTION_H

#include <smtool/base.h>

/* Each with the type of the member that it fills. */
enum option_type {
	OPTION_FLAG,     /* bool: true when given */
	OPTION_COUNT,    /* unsigned: how often it was given */
	OPTION_STRING,   /* const char *, borrowed from argv; the last one wins, as below */
	OPTION_LIST,     /* struct option_list: each one given */
	OPTION_U64,      /* uint64_t */
	OPTION_SIZE,     /* uint64_t, bytes */
	OPTION_DURATION, /* uint64_t, ns */
	OPTION_CHOICE,   /* unsigned: which word of the list, from 0 */
	OPTION_WORD,     /* unsigned: no argument; stands for `arg` of the choice at that member */
	OPTION_HELP,     /* no member: ends parsing */
};

/* Items are borrowed from argv. Zero-initialise; option_list_release() frees. */
struct option_list {
	const char **items;
	size_t n, cap;
};

void option_list_release(struct option_list *list);

struct option_def {
	char short_name;  /* 0 = none */
	const char *name; /* without dashes; NULL = none */
	enum option_type type;
	size_t offset;   /* of the member in the table's base */
	const char *arg; /* what the argument is called; NULL for a choice: its words stand there */
	/* "file", "dir", "" for nothing that a shell could know, or words separated by spaces. NULL
	 * for a choice: the words are the table's. */
	const char *complete;
	const char *help; /* a phrase in lower case */
	uint64_t max;     /* of a U64; 0 = no bound */
};

/* Offset of member M of struct S, where it has type T; else the program doesn't compile. */
#define OPTION_MEMBER(S, M, T) _Generic(((struct S *)0)->M, T : offsetof(struct S, M))

/* clang-format off */
#define OPT_FLAG(C, NAME, S, M, HELP) \
	{ .short_name = C, .name = NAME, .type = OPTION_FLAG, \
	  .offset = OPTION_MEMBER(S, M, bool), .help = HELP }
#define OPT_COUNT(C, NAME, S, M, HELP) \
	{ .short_name = C, .name = NAME, .type = OPTION_COUNT, \
	  .offset = OPTION_MEMBER(S, M, unsigned), .help = HELP }
#define OPT_STRING(C, NAME, S, M, ARG, COMPLETE, HELP) \
	{ .short_name = C, .name = NAME, .type = OPTION_STRING, \
	  .offset = OPTION_MEMBER(S, M, const char *), \
	  .arg = ARG, .complete = COMPLETE, .help = HELP }
#define OPT_LIST(C, NAME, S, M, ARG, COMPLETE, HELP) \
	{ .short_name = C, .name = NAME, .type = OPTION_LIST, \
	  .offset = OPTION_MEMBER(S, M, struct option_list), \
	  .arg = ARG, .complete = COMPLETE, .help = HELP }
#define OPT_U64(C, NAME, S, M, ARG, MAX, HELP) \
	{ .short_name = C, .name = NAME, .type = OPTION_U64, \
	  .offset = OPTION_MEMBER(S, M, uint64_t), .arg = ARG, .max = MAX, .help = HELP }
#define OPT_SIZE(C, NAME, S, M, ARG, HELP) \
	{ .short_name = C, .name = NAME, .type = OPTION_SIZE, \
	  .offset = OPTION_MEMBER(S, M, uint64_t), .arg = ARG, .help = HELP }
#define OPT_DURATION(C, NAME, S, M, ARG, HELP) \
	{ .short_name = C, .name = NAME, .type = OPTION_DURATION, \
	  .offset = OPTION_MEMBER(S, M, uint64_t), .arg = ARG, .help = HELP }
#define OPT_CHOICE(C, NAME, S, M, ARG, WORDS, HELP) \
	{ .short_name = C, .name = NAME, .type = OPTION_CHOICE, \
	  .offset = OPTION_MEMBER(S, M, unsigned), \
	  .arg = ARG, .complete = WORDS, .help = HELP }
#define OPT_WORD(C, NAME, S, M, WORD, WORDS, HELP) \
	{ .short_name = C, .name = NAME, .type = OPTION_WORD, \
	  .offset = OPTION_MEMBER(S, M, unsigned), \
	  .arg = WORD, .complete = WORDS, .help = HELP }
/* clang-format on */

struct option_table {
	const struct option_def *defs;
	size_t n;
	const char *title; /* above its options in -h; NULL: they follow those before */
	void *base;        /* the struct to fill; NULL where the table is only printed */
	const char *words; /* of choices that have none of their own */
};

enum {
	/* What follows the first operand is the operands', as after "--". */
	OPTION_STOP_AT_OPERAND = 1 << 0,
};

/*
 * Parses argv[1..*argc - 1], and leaves the operands in argv[0..*argc - 1], in order. "--" ends the
 * options and is dropped. A long name may be cut short where it stays unique. Where two tables have
 * the same name, the first wins.
 *
 * *help: -h was met; then what follows it is not looked at, and argv holds nothing useful. Errors:
 * SM_E_USAGE, SM_E_NOMEM; the members filled before it stay filled, also lists.
 */
struct sm_error *option_parse(const struct option_table *tables, size_t n_tables, unsigned flags,
	int *argc, char **argv, bool *help) SM_MUST_CHECK;

/* `usage` holds what follows "smtool NAME", one way to call it a line. */
void option_print_help(struct sm_out *out, const char *name, const char *usage, const char *summary,
	const struct option_table *tables, size_t n_tables);

/* For programs: one option a line, as PREFIX, short name, long name, argument, completion,
 * separated by tabs; "-" where there is none. `prefix` is the command's name. */
void option_print_list(
	struct sm_out *out, const char *prefix, const struct option_table *tables, size_t n_tables);

bool option_takes_argument(const struct option_def *def);
/* How its argument is completed, the table's words considered; never NULL. */
const char *option_completion(const struct option_table *table, const struct option_def *def);

/* Takes the next of the words separated by spaces at *words; false at the end. */
bool option_next_word(const char **words, const char **word, size_t *len);

#endif
