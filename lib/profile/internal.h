/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of room profile share. */
#ifndef SM_PROFILE_INTERNAL_H
#define SM_PROFILE_INTERNAL_H

#include <smtool/profile.h>

#define ROW_NONE UINT32_MAX

/* ---- live.c: the objects that are allocated now ---- */

struct live_object {
	uint64_t ptr; /* LIVE_FREE = the slot is free */
	uint64_t ts;
	uint64_t bytes;
	uint32_t row; /* ROW_NONE: followed only so that its free finds it */
	uint32_t cpu;
};

#define LIVE_FREE UINT64_MAX

struct live_set {
	struct live_object *slots;
	size_t n, nslots; /* nslots is a power of two or 0 */
	size_t limit;     /* n grows up to this before more slots are needed */
	unsigned shift;
};

/* Where the object is or would go. The set must not be empty of slots. */
static inline size_t live_home(const struct live_set *set, uint64_t ptr)
{
	return (size_t)((ptr * UINT64_C(0x9e3779b97f4a7c15)) >> set->shift);
}

static inline void live_prefetch(const struct live_set *set, uint64_t ptr)
{
	if (set->nslots)
		__builtin_prefetch(&set->slots[live_home(set, ptr)], 1);
}

/* Where the object is, or else the free slot where it would go: then its ptr is LIVE_FREE. The set
 * must have slots. */
static inline struct live_object *live_slot(const struct live_set *set, uint64_t ptr)
{
	size_t i = live_home(set, ptr);

	while (set->slots[i].ptr != ptr && set->slots[i].ptr != LIVE_FREE)
		i = (i + 1) & (set->nslots - 1);
	return &set->slots[i];
}

/* NULL when it isn't there. */
static inline struct live_object *sm_live_find(const struct live_set *set, uint64_t ptr)
{
	struct live_object *o = set->nslots ? live_slot(set, ptr) : NULL;

	return o && o->ptr != LIVE_FREE ? o : NULL;
}

bool sm_live_grow(struct live_set *set);

/* Room for one more, so that the next sm_live_insert() can't fail. False when memory is short. */
static inline bool sm_live_reserve(struct live_set *set)
{
	return set->n < set->limit || sm_live_grow(set);
}

/* The slot of `ptr`, which is new: filled by the caller, ptr already set. */
static inline struct live_object *sm_live_insert(struct live_set *set, uint64_t ptr)
{
	struct live_object *o = live_slot(set, ptr);

	o->ptr = ptr;
	set->n++;
	return o;
}

/* False when memory is short. */
bool sm_live_copy(struct live_set *to, const struct live_set *from);
void sm_live_remove(struct live_set *set, struct live_object *object);
void sm_live_release(struct live_set *set);

/* ---- row.c: rows while they are counted ---- */

struct count_row {
	uint64_t count, bytes, req, frees;
	uint64_t live_bytes, live_count;
	/* The peak's share: `peak` was saved when the row first changed after peak number `epoch`.
	 * While epoch is older than the last peak's, live_bytes hasn't changed since and is the
	 * share. */
	uint64_t peak, epoch;
	uint64_t ref_count;
	uint32_t stack, attr;
};

struct row_table {
	struct count_row *rows;
	size_t n, cap;
	uint32_t *of_stack; /* by stack index + 2 (none, unresolved): row, ROW_NONE */
	size_t of_stack_n;
	uint32_t *slots; /* by (stack, attr): row + 1 */
	size_t nslots;
};

/* ROW_NONE when memory is short. */
uint32_t sm_rows_by_stack(struct row_table *t, uint32_t stack);
uint32_t sm_rows_by_pair(struct row_table *t, uint32_t stack, uint32_t attr);
/* Keeps the rows, and forgets what they counted: `epoch` is the first one of what follows. */
void sm_rows_restart(struct row_table *t, uint64_t epoch);
void sm_rows_release(struct row_table *t);

/* ---- attr.c: attribute values as dense indexes ---- */

struct attr_table {
	enum sm_attr attr;
	struct attr_value {
		uint64_t value;
		uint32_t label; /* string in `labels` */
	} * values;
	size_t n, cap;
	uint32_t *slots; /* index + 1 */
	size_t nslots;
	struct sm_strings labels;
	uint32_t last; /* index of the value seen last */
};

/* Index of the event's attribute; UINT32_MAX when memory is short. */
uint32_t sm_attr_of(struct attr_table *t, const struct sm_trace *trace, const struct sm_event *ev);
/* After sm_trace_read_comms(): what comes next is counted under the names that tasks have now.
 * False when memory is short. */
bool sm_attr_name_again(struct attr_table *t, const struct sm_trace *trace);
void sm_attr_release(struct attr_table *t);

/* ---- attr_set.c: several attributes ---- */

struct attr_set {
	struct attr_table columns[SM_ATTR_NR];
	unsigned n;       /* columns; 0 = rows have no attribute */
	unsigned main;    /* the one that sm_profile_label() tells */
	uint32_t *tuples; /* n labels each; unused where n is 1: the label is the index then */
	size_t ntuples, cap;
	uint32_t *slots; /* index + 1 */
	size_t nslots;
	uint32_t last;
};

/* Bit per attribute that such a set has. */
static inline uint32_t sm_attr_set_bits(enum sm_attr attr, uint32_t attrs)
{
	return (attrs | 1u << attr) & ((1u << SM_ATTR_NR) - 1) & ~(1u << SM_ATTR_NONE);
}
/* `attrs`: bit per further attribute. */
void sm_attr_set_init(struct attr_set *set, enum sm_attr attr, uint32_t attrs);
/* Index of the event's values; UINT32_MAX when memory is short. */
uint32_t sm_attr_set_of(
	struct attr_set *set, const struct sm_trace *trace, const struct sm_event *ev);
/* NULL where there is no such value. */
/* What sm_attr_set_value() needs of it; nothing can be added. False when memory is short; release
 * it in any case. */
bool sm_attr_set_copy(struct attr_set *to, const struct attr_set *from);
const char *sm_attr_set_value(const struct attr_set *set, uint32_t row_attr, unsigned column);
void sm_attr_set_release(struct attr_set *set);

/* ---- filter.c ---- */

/* Flags that an allocation must have. */
struct gfp_want {
	bool known; /* the type's format has these names */
	uint64_t bits;
	uint64_t shown[4]; /* bitmap of the type's flag names */
	bool *whole;       /* of a type with gfp_whole, instead: per mask */
};

struct filter {
	const struct sm_profile_opts *opts;
	struct sm_trace *trace;
	size_t ntypes;
	bool detailed; /* there are options beyond type and time */
	bool *types;   /* per type: its events are counted; [ntypes] = of no known type */
	bool follow_slab, follow_page; /* the live sets that are kept */
	struct gfp_want *gfp_wants;    /* per type and pattern */
	uint8_t *caches;               /* per cache id: 0 unknown, 1 yes, 2 no */
	size_t ncaches;
	uint64_t from, to;
};

struct sm_error *sm_filter_init(struct filter *f, struct sm_trace *trace,
	const struct sm_profile_opts *opts, enum sm_family family) SM_MUST_CHECK;
void sm_filter_release(struct filter *f);
/* What the type and the time let through, the other options let through too. */
bool sm_filter_details(struct filter *f, const struct sm_event *ev);

/* The event is one that is counted. */
static inline bool sm_filter_match(struct filter *f, const struct sm_event *ev)
{
	size_t type = ev->type < f->ntypes ? ev->type : f->ntypes;

	if (!f->types[type] || ev->ts < f->from || ev->ts > f->to)
		return false;
	return !f->detailed || sm_filter_details(f, ev);
}

/* Turns what was counted into the profile's rows and totals; all-zero rows are left out. `epoch` is
 * the last peak's. priv->row_of, which may be NULL, has room for all rows. */
struct sm_error *sm_rows_finish(struct sm_profile *p, uint64_t epoch) SM_MUST_CHECK;
/* The same for a map without pages: the stacks are those of the map, and each is a row. */
struct sm_error *sm_rows_of_map(struct sm_profile *p) SM_MUST_CHECK;
/* text_choice.c: SM_E_USAGE for a choice that a page_owner can't make; opts->attrs loses those that
 * it doesn't tell. */
struct sm_error *sm_check_text_choice(
	const struct sm_trace *trace, struct sm_profile_opts *opts) SM_MUST_CHECK;
/* imported_rows.c: of rows that were counted elsewhere. SM_E_USAGE for a choice that they can't
 * make. */
struct sm_error *sm_rows_imported(
	struct sm_profile *p, const struct sm_profile_opts *opts) SM_MUST_CHECK;

struct sm_profile_private {
	struct row_table rows;
	struct attr_set attrs;
	/* With opts.keep_live: objects, whose rows are those of `rows`, and which of the profile's
	 * rows each of these became, ROW_NONE = none; else NULL. */
	struct live_set live[2];
	uint32_t *row_of;
};

#endif
