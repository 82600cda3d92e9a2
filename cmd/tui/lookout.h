/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lookout: how a search goes: its expression, what of a row it is held against, and the order. */
#ifndef SMTOOL_TUI_LOOKOUT_H
#define SMTOOL_TUI_LOOKOUT_H

#include <regex.h>

#include <smtool/symbol.h>

/* As regcomp(): POSIX extended, whatever the case. */
int lookout_compile(regex_t *expression, const char *text);

/*
 * The next of n rows that matches, from `from` on or back and around the end, `from` itself first
 * with `from_here` and last without. SIZE_MAX = none.
 */
size_t lookout_find(size_t n, size_t from, bool forward, bool from_here,
	bool (*matches)(void *ctx, size_t row), void *ctx);
/* It was found beyond the end. */
static inline bool lookout_wrapped(size_t from, size_t found, bool forward)
{
	return forward ? found < from : found > from;
}

/* ---- the worker's: rows by all of their frames ---- */

struct lookout_memo;

struct lookout {
	regex_t expression;
	struct lookout_memo *memos;
	struct sm_buf text;
};

/* False when memory is short. */
bool lookout_open(struct lookout *l, const char *expression) SM_MUST_CHECK;
/* The label, or without one a frame's "name [module]". */
bool lookout_matches(struct lookout *l, const struct sm_symbols *syms, const char *label,
	const uint64_t *ips, uint32_t depth);
void lookout_close(struct lookout *l);

#endif
