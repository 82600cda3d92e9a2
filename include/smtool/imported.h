/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiles that somebody else counted: a kernel's page_owner or allocinfo, or smtool before. Their
 * frames have names instead of addresses. Above room record nobody asks which: a frame that has a
 * name is an address with a tag, and struct sm_symbols answers for it as for others.
 */
#ifndef SMTOOL_IMPORTED_H
#define SMTOOL_IMPORTED_H

#include <smtool/base.h>

enum sm_metric {
	SM_M_COUNT, /* allocations (or other events) */
	SM_M_BYTES, /* bytes_alloc; pages: page size << order */
	SM_M_BYTES_REQ,
	SM_M_WASTE,      /* bytes - bytes_req */
	SM_M_LIVE_BYTES, /* allocated in the window and not freed by its end */
	SM_M_LIVE_COUNT,
	SM_M_PEAK_BYTES, /* live when the whole was largest, the first such moment */
	SM_M_FREES,      /* of the row's own objects */
	SM_M_REF_COUNT,  /* from the stack map */
	SM_M_ADDITIVE,   /* those above are sums: rows may be added up */
	/* Of a merged profile: how its `spread_of` metric is spread over machines. */
	SM_M_MACHINES = SM_M_ADDITIVE, /* that have the row */
	SM_M_MEDIAN,                   /* of those machines */
	SM_M_P95,
	SM_M_NR
};
const char *sm_metric_name(enum sm_metric m);
/* SM_M_NR when there is no such key. */
enum sm_metric sm_metric_find(const char *name);

/* Appends the names of those whose bits are set: "count, bytes", or "none". */
void sm_metric_list(uint32_t metrics, struct sm_buf *buf);

/* A place in the source. Untrusted text. */
struct sm_line {
	const char *function; /* NULL = unknown */
	const char *file;     /* relative to the top of the source tree; NULL = unknown */
	uint32_t line;        /* 0 = unknown */
};

/* ---- frames by name ---- */

/* No kernel's address begins so: on 64-bit machines they begin with ones, others have 32 bits. */
#define SM_FRAME_TAG UINT64_C(0x0100000000000000)
static inline bool sm_is_named(uint64_t ip)
{
	return ip >> 56 == 1;
}

/* Untrusted text; what is unknown is NULL or 0. */
struct sm_frame {
	const char *symbol;
	const char *module;   /* NULL = the kernel itself, or unknown */
	const char *build_id; /* hex, of the module or the kernel */
	uint64_t address;     /* where symbol is NULL */
	uint64_t offset, size;
	/* The function that made the call, where it isn't `symbol`: of a call that is its last
	 * instruction. */
	const char *caller;
	uint64_t caller_offset, caller_size;
	const struct sm_line *lines; /* innermost first */
	size_t nlines;
};

/* Each distinct frame once. */
struct sm_frames;
struct sm_error *sm_frames_new(struct sm_frames **frames) SM_MUST_CHECK;
void sm_frames_free(struct sm_frames *frames);
/* Copies what `frame` points to. Returns the tagged address; 0 when memory is short. */
uint64_t sm_frames_add(struct sm_frames *frames, const struct sm_frame *frame);
/* NULL when there is no such frame. Valid until the next one is added; what it points to lives as
 * long as the table. */
const struct sm_frame *sm_frames_get(const struct sm_frames *frames, uint64_t ip);
size_t sm_frames_count(const struct sm_frames *frames);

/* ---- how a value is spread over machines ---- */

/*
 * Values with how often each came, ascending. Where there are more than SM_SPREAD_MAX distinct
 * ones, they are cut to their first `bits` significant bits, so that memory has a bound however
 * many machines there are: quantiles are then right to within 2^-bits of their value.
 */
#define SM_SPREAD_MAX 128
struct sm_spread {
	struct sm_spread_entry {
		uint64_t value;
		uint64_t count;
	} * entries;
	uint32_t n, cap;
	uint8_t bits;   /* 0 and 64 = exact */
	uint64_t total; /* the counts' sum */
};
/* Zero-initialise to start. False when memory is short. */
bool sm_spread_add(struct sm_spread *s, uint64_t value, uint64_t count) SM_MUST_CHECK;
bool sm_spread_merge(struct sm_spread *s, const struct sm_spread *other) SM_MUST_CHECK;
/* The smallest value that at least `q` (0..1] of them don't exceed; 0 when there are none. */
uint64_t sm_spread_quantile(const struct sm_spread *s, double q);
void sm_spread_release(struct sm_spread *s);

/* ---- rows that were counted already ---- */

struct sm_imported_row {
	uint32_t stack; /* index in the trace's stacks, SM_STACK_NONE, SM_STACK_UNRESOLVED */
	uint64_t m[SM_M_ADDITIVE];
};

struct sm_imported {
	const char *kind; /* "page_owner", "allocinfo", "profile": a literal */
	uint32_t known;   /* bit per metric */
	struct sm_imported_row *rows;
	size_t nrows;
	/* Of a merged profile, else NULL and 0: per row, and of the machines' totals. */
	uint64_t machines;
	enum sm_metric spread_of;
	struct sm_spread *spreads, total;
	uint64_t duration_ns; /* the windows' sum; 0 = unknown */
	bool trimmed;         /* the frames on top are gone already */
};
void sm_imported_free(struct sm_imported *imported);
/* "a", or "an" where the kind's name wants it. */
static inline const char *sm_imported_article(const struct sm_imported *imported)
{
	return strchr("aeiou", *imported->kind) ? "an" : "a";
}

/* ---- saved profiles: smtool-profile(5) ---- */

#define SM_MEMBER_PROFILE "smtool.profile"

struct sm_stacks;
struct sm_health;

/* Parts of a profile, borrowed. Rows' frames are tagged addresses of `frames`. */
struct sm_saved {
	const struct sm_imported *imported;
	const struct sm_frames *frames;
	const struct sm_stacks *stacks;
	const struct sm_health *health;
	const char *kernel_release; /* NULL = several, or unknown */
};
/* Appends the contents of SM_MEMBER_PROFILE. SM_E_NOMEM is the only error. */
struct sm_error *sm_saved_write(const struct sm_saved *saved, struct sm_buf *buf) SM_MUST_CHECK;

#endif
