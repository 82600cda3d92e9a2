/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the exports share: frames by name, stacks of them, and a writer of gzip. */
#ifndef SM_VIEW_EXPORT_H
#define SM_VIEW_EXPORT_H

#include <zlib.h>

#include <smtool/export.h>
#include <smtool/view.h>

/* ---- export_frames.c: addresses to frames that are the same in both captures ---- */

/* What tells frames apart beside their names. */
enum {
	EXPORT_BY_MODULE = 1 << 0,
	EXPORT_BY_INLINED = 1 << 1,
	EXPORT_BY_FILE = 1 << 2,
};

/* Strings are visible text, ids in export_frames.strings; SM_NO_STRING = none. */
struct export_frame {
	uint32_t name, module, file;
	uint32_t line; /* 0 = unknown, or several */
	bool inlined;
	bool code; /* false: a label that stands for a frame */
};

struct export_frames {
	unsigned by;
	struct sm_strings strings;
	struct sm_strings keys; /* what tells them apart, as bytes: ids are indexes in `items` */
	struct export_frame *items;
	size_t cap;
	/* Per side, by address: its frames, innermost first, in `levels`. */
	struct export_address {
		uint64_t ip;
		uint32_t first, n; /* n 0 = free */
	} * slots[2];
	size_t nslots[2], nused[2];
	uint32_t *levels;
	size_t nlevels, levels_cap;
	struct sm_buf text; /* scratch */
};

/* A function that an address is in. `module` is "[kernel]" or "[unknown]" where it is none. */
struct export_symbol {
	const char *name; /* untrusted; NULL = there is none: the address is all */
	const char *module;
	const char *build_id; /* of that; NULL = unknown */
	uint64_t offset;
	const struct sm_line *lines; /* innermost first; NULL and 0 without debug information */
	size_t nlines;
};
void export_resolve(const struct sm_symbols *syms, uint64_t ip, struct export_symbol *s);
/* Tells room symbol what will be asked of the stacks of a side that have rows. */
struct sm_error *export_prepare(const struct sm_export_side *side) SM_MUST_CHECK;

/* The frames of an address, innermost first; valid until the next call. 0 when memory is short. */
uint32_t export_frames_of(struct export_frames *f, unsigned side, const struct sm_symbols *syms,
	uint64_t ip, const uint32_t **ids);
/* A frame that is no code: "[no stack]", a task's name. SM_NO_STRING when memory is short. */
uint32_t export_frames_label(struct export_frames *f, const char *text);
static inline const char *export_string(const struct export_frames *f, uint32_t id)
{
	return sm_strings_get(&f->strings, id);
}
/* Numbers frames anew, in the order of their names: (*rank)[old id], the caller's to free. */
bool export_frames_sort(struct export_frames *f, uint32_t **rank) SM_MUST_CHECK;
void export_frames_release(struct export_frames *f);

/* ---- export_stacks.c: rows merged by their frames ---- */

struct export_stack {
	size_t first; /* in `ids`, root first */
	uint32_t n;
	uint64_t m[SM_M_ADDITIVE];
	uint64_t old;  /* the base's value of opts->by, scaled */
	uint32_t node; /* free for the format's use */
};

struct export_stacks {
	const struct sm_export *x;
	struct export_frames frames;
	uint32_t *ids;
	size_t nids, ids_cap;
	struct export_stack *items;
	size_t n, cap;
	uint32_t *slots; /* index + 1 */
	size_t nslots;
	uint64_t totals[SM_M_ADDITIVE];
	uint64_t old_total;
};

/* `all`: also stacks that have other metrics than opts->by. Frames are numbered by their names. */
struct sm_error *export_stacks_build(struct export_stacks *s, const struct sm_export *x,
	unsigned frames_by, bool all) SM_MUST_CHECK;
/* The largest first (of a difference, the largest change), then by names; or by names alone. */
void export_stacks_sort(struct export_stacks *s, bool by_names);
/* How many frames a stack has in common with the one before it. */
uint32_t export_stacks_common(const struct export_stacks *s, size_t i);
void export_stacks_release(struct export_stacks *s);

/* SM_E_USAGE where a side doesn't know opts->by, or it is no sum. */
struct sm_error *export_check_metric(const struct sm_export *x) SM_MUST_CHECK;
static inline uint64_t export_scaled(const struct sm_export *x, uint64_t v)
{
	return x->scale == 1 ? v : (uint64_t)((double)v * x->scale + 0.5);
}

/* ---- export_order.c: rows one by one ---- */

/* Indexes of a profile's rows, those with the most of `by` first, then by their stacks and
 * attributes: the same in every run. NULL when memory is short. */
uint32_t *export_row_order(const struct sm_profile *profile, enum sm_metric by);

/* The map's ids of each stack. */
struct export_ids {
	uint32_t *first; /* per stack, and one more: in `ids` */
	uint32_t *ids;   /* ascending */
};
bool export_ids_init(struct export_ids *t, const struct sm_trace *trace) SM_MUST_CHECK;
static inline uint32_t export_ids_of(
	const struct export_ids *t, uint32_t stack, const uint32_t **ids)
{
	*ids = t->ids + t->first[stack];
	return t->first[stack + 1] - t->first[stack];
}
void export_ids_release(struct export_ids *t);

/* ---- gzip.c ---- */

/* Write freely to `plain`, and call gzip_drain() now and then. */
struct gzip {
	struct sm_out plain;
	struct sm_buf sink; /* what `plain` holds */
	struct sm_out *out;
	z_stream z;
};

struct sm_error *gzip_begin(struct gzip *g, struct sm_out *out) SM_MUST_CHECK;
/* Compresses what there is, once that is worth it. */
void gzip_drain(struct gzip *g);
/* In any case after begin(). */
struct sm_error *gzip_finish(struct gzip *g) SM_MUST_CHECK;

/* ---- the formats ---- */

struct sm_error *export_pprof(const struct sm_export *x, struct sm_out *out);
struct sm_error *export_folded(const struct sm_export *x, struct sm_out *out);
struct sm_error *export_speedscope(const struct sm_export *x, struct sm_out *out);
struct sm_error *export_firefox(const struct sm_export *x, struct sm_out *out);
struct sm_error *export_svg(const struct sm_export *x, struct sm_out *out);

#endif
