/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table: a profile's rows with names: frames trimmed, rows chosen, merged or grouped by them, and
 * the largest of them sorted.
 */
#ifndef SMTOOL_TABLE_H
#define SMTOOL_TABLE_H

#include <smtool/base.h>
#include <smtool/profile.h>
#include <smtool/record.h>
#include <smtool/symbol.h>

/* A hash of what the frames are (function, offset in it, module's build id), equal across resets,
 * boots and KASLR. 64-bit FNV-1a over, per frame, innermost first: name NUL offset(8 bytes LE)
 * build-id-hex NUL, or "?" NUL and the address(8 bytes LE) where unresolved, or, of a frame that is
 * a place in the source alone, name NUL line(8 bytes LE) file NUL. */
uint64_t sm_stack_key(const struct sm_symbols *syms, const uint64_t *ips, uint32_t depth);

enum sm_group {
	SM_GROUP_STACK,
	SM_GROUP_FUNCTION, /* that has the innermost frame's code, whatever was inlined into it,
			      with the cumulative value of all that call it */
	SM_GROUP_CALLER,   /* the innermost frame itself: the call site */
	SM_GROUP_MODULE,   /* of the innermost frame */
	SM_GROUP_ATTR,     /* an attribute that the profile's rows have: opts.attr */
};

struct sm_table_opts {
	enum sm_metric by;
	enum sm_group group;
	enum sm_attr attr; /* for SM_GROUP_ATTR, one of profile->attrs; SM_ATTR_NONE = the profile's
			      own */
	size_t limit;      /* 0 = all */
	/* Which of the profile's rows are taken: a byte for each, 0 = as if it weren't there. NULL
	 * = all. Borrowed until the table is built. */
	const uint8_t *rows;
	/* POSIX extended regular expressions on "name [module]" of each frame */
	struct sm_patterns focus, ignore, hide;
	bool no_skip;   /* keep the tracing and allocator frames on top */
	bool every_row; /* also those whose value is 0 */
	bool unsorted;  /* without a limit: rows in no order and without stack_ids, for who asks for
			   neither */
};

/* ---- stacks one by one, without a table ---- */

/* What is left of a stack. */
struct sm_trimmed {
	const uint64_t *ips; /* live as long as what trimmed them */
	uint32_t depth;      /* 0 where there is no stack, or all of it is hidden */
	bool changed;        /* differs from the stack's own: may now equal another's */
	bool left_out;       /* focus or ignore don't let it through */
};

struct sm_trim;
/* Borrows all. Errors: as sm_table_build(). */
struct sm_error *sm_trim_new(const struct sm_profile *profile, const struct sm_symbols *syms,
	const struct sm_table_opts *opts, struct sm_trim **trim) SM_MUST_CHECK;
void sm_trim_free(struct sm_trim *trim);
/* Of a row's `stack`, whatever it is. False when memory is short. */
bool sm_trim_stack(struct sm_trim *trim, uint32_t stack, struct sm_trimmed *f) SM_MUST_CHECK;
/* What a row without frames is called: "[no stack]", "[unresolved id]", "[all frames hidden]". */
const char *sm_stack_label(uint32_t stack);

/* ---- rows ---- */

struct sm_table_row {
	uint64_t m[SM_M_NR];
	uint64_t cumulative; /* SM_GROUP_FUNCTION */
	const char *label;   /* NULL for stacks; "[no stack]", "[unresolved id]" */
	const uint64_t *ips; /* what is left of the stack; depth 0 where there is none */
	uint32_t depth;
	uint64_t call_site;        /* SM_GROUP_CALLER; 0 = none */
	const uint32_t *stack_ids; /* of the map, ascending */
	size_t nstack_ids;
	size_t profile_row; /* one of the profile's rows that are in it; SIZE_MAX = none */
};

struct sm_table {
	const struct sm_profile *profile; /* borrowed, as is syms */
	const struct sm_symbols *syms;
	struct sm_table_opts opts; /* `attr` is the profile's own where none was given */
	uint32_t known; /* bit per metric: the profile's, less what rows lost by being merged */
	uint64_t totals[SM_M_NR]; /* of all rows that the filters chose */
	struct sm_table_row *rows;
	size_t nrows;
	size_t hidden_rows;
	uint64_t hidden_value; /* 0 for what can't be added up */
	struct sm_table_private *priv;
};

/* SM_E_USAGE for a bad regular expression, or a metric or attribute that the profile doesn't know.
 */
struct sm_error *sm_table_build(const struct sm_profile *profile, const struct sm_symbols *syms,
	const struct sm_table_opts *opts, struct sm_table **table) SM_MUST_CHECK;
void sm_table_free(struct sm_table *table);
/* In which of the table's rows each of the profile's is: profile->nrows indexes, UINT32_MAX for one
 * that isn't shown. */
void sm_table_rows_of(const struct sm_table *table, uint32_t *rows);
/* Of a table by stack: for each row, nrows of them, the index of the frame at which it parts from
 * the row that is most like it, from the innermost frame on: what tells it apart. 0 where nobody
 * has its first frame; its last frame where all of it is the beginning of another; 0 without
 * frames. SM_E_NOMEM is the only error. */
struct sm_error *sm_table_tell_apart(const struct sm_table *table, uint32_t *frame) SM_MUST_CHECK;

#endif
