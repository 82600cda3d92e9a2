/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile: records to one table of stacks with metrics: totals, the live set, the peak. Names play
 * no part here: symbols are filled into a finished profile.
 */
#ifndef SMTOOL_PROFILE_H
#define SMTOOL_PROFILE_H

#include <smtool/base.h>
#include <smtool/imported.h>
#include <smtool/record.h>

/* What rows are told apart by, beside their stacks. */
enum sm_attr {
	SM_ATTR_NONE,
	SM_ATTR_COMM,
	SM_ATTR_PID,
	SM_ATTR_CPU,
	SM_ATTR_EVENT,
	SM_ATTR_CACHE,
	SM_ATTR_GFP,
	SM_ATTR_ORDER,
	SM_ATTR_SIZE,
	SM_ATTR_NR
};
/* As the words of --group-by: "comm"; "" for SM_ATTR_NONE. */
const char *sm_attr_name(enum sm_attr attr);

enum sm_family {
	SM_FAMILY_AUTO, /* slab; page when there are page events and no slab ones */
	SM_FAMILY_SLAB,
	SM_FAMILY_PAGE,
};

/* A list of patterns (fnmatch); n = 0 matches everything. */
struct sm_patterns {
	const char *const *items;
	size_t n;
};

/* A moment of the window. */
struct sm_moment {
	enum {
		SM_MOMENT_NONE,
		SM_MOMENT_NS,
		SM_MOMENT_FROM_START,
		SM_MOMENT_PERCENT,
		SM_MOMENT_PEAK
	} kind;
	uint64_t ns;    /* of the trace clock, or from the window's start */
	double percent; /* of the window */
};
/* "12.345" (seconds of the trace clock), "+1.5" (after the first event), "10%", "peak" where
 * `peak`. */
struct sm_error *sm_moment_parse(
	const char *name, const char *text, bool peak, struct sm_moment *moment) SM_MUST_CHECK;
/* "A,B" with either left out, or "10%-20%". */
struct sm_error *sm_window_parse(const char *name, const char *text, struct sm_moment *from,
	struct sm_moment *to) SM_MUST_CHECK;

struct sm_profile_opts {
	enum sm_family family;
	enum sm_attr attr;
	uint32_t attrs; /* further ones that rows are told apart by: bit per enum sm_attr */
	bool by_stack;  /* rows are told apart by their stacks too (always with SM_ATTR_NONE) */
	/* Filters choose allocations; a free belongs to the object that it frees. */
	struct sm_patterns events; /* "kmalloc", "kmem:kmalloc"; replaces `family` */
	struct sm_patterns comms, caches, gfps;
	const int64_t *pids, *cpus, *orders;
	size_t npids, ncpus, norders;
	uint64_t min_size, max_size; /* of bytes_alloc; max 0 = no bound */
	struct sm_moment from, to;   /* `to` is `--at` as well */
	/* Which stacks are counted: a byte for each of the trace's, which were met in an earlier
	 * reading, then one for events with unresolved ids and one for those without a stack. NULL
	 * = all. */
	const uint8_t *stacks;
	uint32_t nstacks; /* not counting those two */
	uint64_t older;   /* ns: live objects of at least this age only; 0 = all */
	bool keep_live;   /* for sm_profile_ages(); the profile then takes 32 to 100 bytes an object
			   */
	unsigned threads;
	const struct sm_log *log;
	/* Asked every thousand events or so, in the calling thread; true ends what reads with an
	 * SM_E_STOPPED. NULL = never. */
	bool (*stopped)(void *ctx);
	void *stopped_ctx;
};

struct sm_row {
	uint32_t stack; /* index, SM_STACK_NONE, SM_STACK_UNRESOLVED; SM_STACK_NONE without by_stack
			 */
	uint32_t attr;  /* index for sm_profile_label() and sm_profile_value() */
	uint64_t m[SM_M_NR];
};

/* Read-only to users. */
struct sm_profile {
	const struct sm_trace *trace; /* borrowed; owns the stacks */
	enum sm_attr attr;
	uint32_t attrs; /* all that rows are told apart by: bit per enum sm_attr; of those that were
			   asked for, the ones that the input tells */
	bool by_stack;
	enum sm_family family; /* which one it became */
	bool named;            /* events were chosen by their names: not all need be allocations */
	bool mixed;            /* slab and page events were both chosen: totals overlap */
	uint32_t known;        /* bit per metric */
	struct sm_row *rows;   /* in no order; all-zero rows are left out */
	size_t nrows;
	uint64_t totals[SM_M_NR];
	struct sm_health health; /* of the whole capture */
	uint64_t from, to;       /* ns, the chosen window */
	uint64_t peak_ts;        /* when the whole was largest; 0 = never above 0 */
	struct sm_profile_private *priv;
};

/*
 * Reads all of `trace` (once; twice when a moment needs the window or the peak first). Errors:
 * SM_E_USAGE for a filter that can't match anything (unknown event or GFP name), memory,
 * SM_E_STOPPED where opts.stopped said so, and whatever the source says.
 */
struct sm_error *sm_profile_build(struct sm_trace *trace, const struct sm_profile_opts *opts,
	struct sm_profile **profile) SM_MUST_CHECK;
void sm_profile_free(struct sm_profile *profile);
/* Appends the text of a row's attribute: a comm, a pid, GFP names... */
void sm_profile_label(const struct sm_profile *profile, uint32_t attr, struct sm_buf *buf);
/* The text of one of its attributes, `which` being among opts.attrs or opts.attr; NULL for others.
 * Lives as long as the profile. */
const char *sm_profile_value(const struct sm_profile *profile, uint32_t attr, enum sm_attr which);
/* How long the chosen window is, in ns; of a merged profile the sum of its windows; 0 = unknown. */
uint64_t sm_profile_window_ns(const struct sm_profile *profile);
/* The metric counts bytes. */
bool sm_profile_is_bytes(const struct sm_profile *profile, enum sm_metric m);

/* How long what is live has been there, at the window's end: */
#define SM_AGES 9
/* bucket k has what is younger than so many ns, and not in a bucket before it; the last one the
 * rest. */
extern const uint64_t sm_age_bounds[SM_AGES - 1];
struct sm_age {
	uint64_t bytes, count;
};
/*
 * Of some of the profile's rows, a byte for each, 0 = not taken; NULL = all. The sums are those
 * rows' live_bytes and live_count; what is left of pages that were freed in part has the age of the
 * whole. *oldest_ns: 0 = nothing is live, or it came last. False, and zeros: ages aren't known, as
 * opts.keep_live wasn't set, or neither clock nor input tell times. Looks at every object that is
 * live.
 */
bool sm_profile_ages(const struct sm_profile *profile, const uint8_t *rows,
	struct sm_age ages[SM_AGES], uint64_t *oldest_ns);

/* The cache that a slab allocation came from, by the event's own word or, for kmalloc, its size
 * class
 * ("kmalloc-2k"; the kernel's variants, -cg and its like, aren't told apart). */
void sm_kmalloc_cache_name(uint64_t bytes_alloc, struct sm_buf *buf);

#endif
