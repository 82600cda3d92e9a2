/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What reads DIEs: abbreviations, which are compiled to what a walk through the DIEs needs of them,
 * and lists of ranges.
 */
#ifndef SMTOOL_SYMBOL_DWARF_DIE_H
#define SMTOOL_SYMBOL_DWARF_DIE_H

#include <pthread.h>

#include "dwarf_unit.h"

/* A DIE with more attributes than that is no DIE. The most seen is about 30. */
#define DWARF_MAX_ATTRS 1024
/* How many abstract_origin and specification are followed. */
#define DWARF_MAX_HOPS 16

enum die_kind {
	DIE_OTHER,    /* neither it nor its children are of interest */
	DIE_FUNCTION, /* subprogram */
	DIE_INLINED,  /* inlined_subroutine */
	DIE_BLOCK,    /* lexical blocks, namespaces: what is below them counts */
	DIE_TYPE,     /* of which functions are members */
};

/* The attributes that a walk takes. */
enum die_attr {
	DIE_NOTHING,
	DIE_SIBLING,
	DIE_LOW_PC,
	DIE_HIGH_PC,
	DIE_RANGES,
	DIE_ORIGIN, /* abstract_origin or specification */
	DIE_CALL_FILE,
	DIE_CALL_LINE,
};

/* How the bytes of one attribute are passed, or taken. */
enum step_op {
	STEP_END,  /* the DIE ends after `skip` */
	STEP_SKIP, /* nothing but the skip */
	STEP_ULEB,
	STEP_STRING,
	STEP_BLOCK1,
	STEP_BLOCK2,
	STEP_BLOCK4,
	STEP_BLOCK,
	STEP_FORM, /* of `value`, by sm_dwarf_form_skip() */
	/* Those that take */
	STEP_TAKE_1,
	STEP_TAKE_2,
	STEP_TAKE_4,
	STEP_TAKE_8,
	STEP_TAKE_ULEB,
	STEP_TAKE_VALUE, /* `value` itself */
	STEP_TAKE_FORM,  /* of `value`, by sm_dwarf_form_read() */
};

/* Attributes of a fixed size that nobody wants are one skip. */
struct die_step {
	uint16_t skip; /* bytes before the attribute */
	uint8_t op;
	uint8_t attr;
	uint32_t value;
};

#define ABBREV_CHILDREN 1
#define ABBREV_FIXED 2    /* the DIE has `size` bytes; there are no steps unless it is taken */
#define ABBREV_SIBLING4 4 /* a ref4 sibling lies `sibling` bytes behind the code */
#define ABBREV_SIBLING 8  /* the steps take one */
#define ABBREV_NAMED 16   /* has a name of its own, or more than one origin */
#define ABBREV_CODE 32    /* has low_pc or ranges */

struct dwarf_abbrev {
	uint32_t steps; /* index of the first in dwarf_abbrevs.steps */
	uint32_t raw;   /* of its attributes, from the table's start */
	uint16_t size;
	uint16_t sibling;
	uint16_t tag;
	uint8_t kind; /* enum die_kind */
	uint8_t flags;
};

struct dwarf_abbrevs {
	const uint8_t *raw, *raw_end; /* in .debug_abbrev; the end is the section's */
	struct dwarf_abbrev *items;
	struct die_step *steps;
	struct abbrev_code {
		uint64_t code;
		uint32_t item;
	} * codes;       /* those that aren't dense, sorted */
	uint32_t ndense; /* codes 1 .. ndense are items 0 .. */
	uint32_t ncodes;
	uint64_t bytes; /* of the section */
};

struct dwarf_tables; /* tables by offset and the units' sizes */

/* Gives each of the n units its table; none is read yet. */
struct sm_error *sm_dwarf_tables_new(
	struct dwarf_file *file, struct dwarf_unit *units, size_t n) SM_MUST_CHECK;
void sm_dwarf_tables_free(struct dwarf_tables *tables);
/* The unit's table, parsed by the first that asks. Lent as long as the reader lives. */
struct sm_error *sm_dwarf_abbrevs(
	const struct dwarf_unit *u, const struct dwarf_abbrevs **table) SM_MUST_CHECK;

/* The same if it was parsed already and is sound, else NULL. */
const struct dwarf_abbrevs *sm_dwarf_abbrevs_known(const struct dwarf_unit *u);

const struct dwarf_abbrev *sm_dwarf_abbrev_find(const struct dwarf_abbrevs *t, uint64_t code);

static inline const struct dwarf_abbrev *dwarf_abbrev(const struct dwarf_abbrevs *t, uint64_t code)
{
	if (code - 1 < t->ndense)
		return &t->items[code - 1];
	return sm_dwarf_abbrev_find(t, code);
}

/* Bytes of a form's value in this unit, or: */
#define FORM_VARIES (-1)
#define FORM_UNKNOWN (-2)
int sm_dwarf_form_size(const struct dwarf_unit *u, uint64_t form);

/* Bytes of a unit that were copied from its beginning on, because that is cheaper than to touch
 * what is mapped (sm_object_copy()); `data` NULL = none were. */
struct unit_copy {
	const struct dwarf_unit *u;
	const uint8_t *data;
	size_t len;
	/* Bytes of the unit's table that are searched instead of parsing it, copied or not; NULL =
	 * it is parsed. */
	const uint8_t *abbrevs;
	size_t abbrevs_len;
};

/* All attributes of one DIE, one by one: for roots and names. */
struct die_reader {
	const struct dwarf_unit *u;
	struct unit_copy copy;
	struct dwarf_bytes specs; /* in .debug_abbrev */
	struct dwarf_bytes b;     /* in .debug_info or in the copy */
	uint64_t tag, attr, form;
	int64_t implicit;
	unsigned n;
	bool children;
};

/* `offset` in .debug_info. The copy is used where it is of this unit; NULL = there is none. False
 * where there is no sound DIE. */
bool sm_dwarf_die_begin(struct die_reader *r, const struct dwarf_unit *u, uint64_t offset,
	const struct unit_copy *copy);
/* The next attribute; its value must be read or skipped before the next call. False at the end, or
 * with r->b.bad where it makes no sense. */
bool sm_dwarf_die_next(struct die_reader *r);
/* What is in it lives as long as the file is mapped, also where it was read from a copy. */
void sm_dwarf_die_read(const struct dwarf *d, struct die_reader *r, struct dwarf_value *v);
/* Offset in .debug_info of what is read next. */
uint64_t sm_dwarf_die_offset(const struct die_reader *r);

/* As sm_dwarf_name(); DIEs of the copy's unit are read from there. */
const char *sm_dwarf_name_in(struct dwarf *d, uint64_t origin, const struct unit_copy *copy);

/*
 * Appends the ranges of a list: without those that are empty, or of code that the linker has
 * dropped. *budget is how many entries may still be read: it goes down, and a list that needs more
 * is as bad as one that has no end.
 */
struct sm_error *sm_dwarf_ranges_read(const struct dwarf *d, const struct dwarf_unit *u,
	uint64_t offset, size_t *budget, struct dwarf_scopes *out) SM_MUST_CHECK;
/* The same for one range. False only when memory is short. */
bool sm_dwarf_range_add(
	const struct dwarf *d, uint64_t start, uint64_t end, struct dwarf_scopes *out);
/* Of .debug_addr; false where there is none. */
bool sm_dwarf_addrx(const struct dwarf_unit *u, uint64_t index, uint64_t *addr);

/* The unit whose DIEs hold an offset (with DWARF_ALT), NULL = none. */
struct dwarf_unit *sm_dwarf_unit_of(struct dwarf *d, uint64_t offset);

/* A range and the unit that has it. */
struct unit_range {
	uint64_t start, end;
	uint32_t unit;
};

/* Disjoint, sorted. */
struct unit_ranges {
	struct unit_range *items;
	size_t n, cap;
};

/* Where units begin, as .debug_aranges says; sorted. */
struct unit_sets {
	uint64_t *offsets;
	size_t n, cap, pos;
	bool read;
};
/* Once. What can't be read is left out. */
void sm_dwarf_sets_read(const struct dwarf_file *file, struct unit_sets *sets);

struct dwarf_private {
	struct dwarf_unit *alt_units;
	size_t nalt;
	pthread_mutex_t load_lock; /* of the root DIEs' members of all units */
	pthread_mutex_t lock;      /* of what follows, until it is there */
	bool has_aranges, has_own, has_root;
	struct unit_ranges aranges; /* of .debug_aranges */
	bool *listed;               /* by unit: has some of these */
	struct unit_ranges own;     /* of the others' root DIEs */
	char *top;                  /* of the source tree */
	char *build[2];             /* of the compilations' directories; [1]: absolute ones */
	/* Of the executable sections: code that is elsewhere isn't there. */
	uint64_t code_start, code_end;
};

#endif
