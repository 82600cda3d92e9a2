/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of room table share. */
#ifndef SM_TABLE_INTERNAL_H
#define SM_TABLE_INTERNAL_H

#include <regex.h>

#include <smtool/table.h>

/* ---- frame_cache.c: what the table asks of each distinct address, answered once ---- */

enum {
	FRAME_FOCUS = 1 << 0,  /* matches a --focus expression */
	FRAME_IGNORE = 1 << 1, /* ... an --ignore one */
	FRAME_HIDE = 1 << 2,
	FRAME_MACHINERY = 1 << 3, /* tracing, or the allocator's own wrapper */
};

/* What a frame is called. */
struct frame_text {
	const char *function; /* the symbols', or in `hex` where unresolved */
	const char *module;   /* "[kernel]", "[unknown]", or a module's name */
	bool resolved;
	char hex[20];
};

void sm_frame_text(const struct sm_symbols *syms, uint64_t ip, struct frame_text *text);

struct frame_info {
	uint64_t ip;
	const char *function; /* in the cache's arena; hex where unresolved */
	const char *module;   /* "[kernel]", "[unknown]", or a module's name */
	uint32_t flags;
	uint32_t work_plus_1; /* the row of its function, where rows are functions; 0 = not found
				 yet */
};

struct expressions {
	regex_t *items;
	size_t n;
};

struct frame_cache {
	const struct sm_symbols *syms;
	struct expressions focus, ignore, hide;
	struct frame_info *slots; /* open addressing by ip; function NULL = free */
	size_t n, nslots;
	struct sm_strings strings;
};

struct sm_error *sm_frame_cache_init(struct frame_cache *c, const struct sm_symbols *syms,
	const struct sm_table_opts *opts) SM_MUST_CHECK;
/* NULL when memory is short. Valid until the next call. */
struct frame_info *sm_frame_cache_get(struct frame_cache *c, uint64_t ip);
void sm_frame_cache_release(struct frame_cache *c);

/* True for a function that only records the event or wraps the allocator: the frames that are left
 * out on top of a stack whose call site isn't known. */
bool sm_is_machinery(const char *function);

/* ---- trim.c ---- */

struct sm_trim {
	const struct sm_profile *profile;
	const struct sm_symbols *syms;
	bool no_skip;
	struct frame_cache cache;
	struct sm_arena arena; /* of stacks of which something is hidden */
};

struct sm_error *sm_trim_init(struct sm_trim *t, const struct sm_profile *profile,
	const struct sm_symbols *syms, const struct sm_table_opts *opts) SM_MUST_CHECK;
void sm_trim_release(struct sm_trim *t);

/* ---- stack_key.c ---- */

/* What a frame is beyond its boot: name NUL, number (8 bytes LE), owner NUL. */
struct frame_parts {
	const char *name; /* of the symbol; "?" without one, */
	uint64_t number;  /* its offset, the line of a tag, or else the address */
	const char
		*owner; /* build id, or the tag's file; "" = unknown, NULL = no symbol: left out */
};
void sm_frame_parts(const struct sm_symbols *syms, uint64_t ip, struct frame_parts *parts);

/* ---- table.c ---- */

/* A row before it is chosen. */
struct work_row {
	uint64_t m[SM_M_NR];
	uint64_t cumulative;
	const char *label;
	const uint64_t *ips;
	uint32_t depth;
	uint64_t call_site;
	uint32_t first; /* chain of the profile's rows in it, UINT32_MAX = none */
	uint32_t stamp; /* last stack that was added to `cumulative` */
};

struct sm_table_private {
	struct sm_trim trim;
	struct work_row *work;
	size_t nwork, cap;
	uint32_t *chain; /* per profile row: the next one in the same work row */
	uint32_t *first; /* per shown row: where its chain begins */
	uint32_t *slots; /* of work rows, by label or by frames: index + 1 */
	size_t nslots;
	size_t left_out; /* rows with a value that were too small to be built */
};

#define NO_ROW UINT32_MAX

/* While it is built. */
static inline bool sm_table_takes(const struct sm_table *table, size_t profile_row)
{
	return !table->opts.rows || table->opts.rows[profile_row];
}

/* ---- select.c ---- */

/* The value that a row needs to be among the first `limit` where rows don't merge: the others, most
 * of a large map, then cost no more than a comparison. 0 = not known. */
uint64_t sm_table_least(const struct sm_table *table);
/* Fills table->rows with the first `limit` work rows, without sorting the others. False when memory
 * is short. */
bool sm_table_select(struct sm_table *table);
/* Which ids of the map each shown row is made of. False when memory is short. */
bool sm_table_add_ids(struct sm_table *table);

#endif
