/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names: what addresses are called, filled by the worker as the interface asks: what is on the
 * screen first.
 */
#ifndef SMTOOL_TUI_NAMES_H
#define SMTOOL_TUI_NAMES_H

#include <smtool/symbol.h>

struct names;

/* Strings live as long as the symbols, and are untrusted. */
struct name {
	const char *function; /* NULL = it has none */
	const char *module;   /* NULL = the kernel itself */
	uint64_t offset, size;
	const struct sm_line *lines; /* innermost inlined function first */
	size_t nlines;
	bool has_lines; /* they are known, be they none */
};

/* NULL when memory is short. */
struct names *names_new(void);
void names_free(struct names *n);

/* ---- the interface's thread ---- */

/* Before the screen is drawn: what was asked for and isn't on it any more can wait. */
void names_forget_asked(struct names *n);
/* False where it isn't known yet: then it is asked for. */
bool names_get(struct names *n, uint64_t ip, struct name *name);
/* Something was asked for that isn't known yet. */
bool names_wanted(struct names *n);

/* ---- the worker's thread ---- */

/* Finds what is asked for, a part of it at a time: first names, then lines. Returns what there is
 * to be done yet; *changed: something became known. */
bool names_find(struct names *n, const struct sm_symbols *syms, bool *changed);

#endif
