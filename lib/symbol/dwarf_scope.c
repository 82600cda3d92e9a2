/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The walk through a unit's DIEs, for functions and what is inlined into them. Nearly all DIEs are
 * passed without a look: by DW_AT_sibling, or by the steps of their abbreviation.
 */
#include <dwarf.h>
#include <stdlib.h>

#include "dwarf_step.h"

/* Levels of DIEs. Rust and C++ come to a hundred. */
#define MAX_DEPTH 2048

/* A unit larger than that isn't copied: nobody has so large ones but in few. */
#define COPY_MOST ((size_t)16 << 20)

/* In which the name of an origin is remembered. A power of two. */
#define NAME_SLOTS 256

struct walk {
	struct die_cursor c;
	struct unit_copy copy;
	bool members; /* look into types */
	bool deep;    /* look into functions that hold no wanted address, or no code, too */
	struct dwarf_scopes *out;
	size_t budget; /* entries of range lists */
	/* NULL = all functions */
	const uint64_t *wanted;
	size_t nwanted;
	size_t *unfound; /* of each: itself, or nearer to the next that no function holds */
	size_t missing;  /* how many that are */
	struct known_name {
		uint64_t origin; /* 0 = free */
		const char *name;
	} names[NAME_SLOTS];
	uint32_t depth;
	uint32_t scopes[MAX_DEPTH]; /* by depth: what is inlined there is inlined into it */
};

static struct sm_error *bad_die(const struct walk *w, size_t offset)
{
	return sm_error_at(SM_E_FORMAT, w->c.u->file->obj->path, w->c.u->offset,
		"bad unit in .debug_info", "the DIE at 0x%llx makes no sense",
		(unsigned long long)(w->c.u->offset + offset));
}

static struct sm_error *read_ranges(struct walk *w, const struct die *die)
{
	uint64_t end = die->high_pc;

	if (die->has & 1U << DIE_RANGES)
		return sm_dwarf_ranges_read(w->c.d, w->c.u, die->ranges, &w->budget, w->out);
	if ((die->has & (1U << DIE_LOW_PC | 1U << DIE_HIGH_PC)) !=
		(1U << DIE_LOW_PC | 1U << DIE_HIGH_PC))
		return NULL;
	if (die->high_is_size)
		end += die->low_pc;
	return sm_dwarf_range_add(w->c.d, die->low_pc, end, w->out) ? NULL : sm_error_nomem();
}

static void forget_found(struct walk *w)
{
	for (size_t i = 0; i <= w->nwanted; i++)
		w->unfound[i] = i;
	w->missing = w->nwanted;
}

/* The first wanted address from the i-th on that no function holds yet; nwanted = none. */
static size_t next_unfound(struct walk *w, size_t i)
{
	while (w->unfound[i] != i) {
		w->unfound[i] = w->unfound[w->unfound[i]];
		i = w->unfound[i];
	}
	return i;
}

/* Whether a range from `first` on holds a wanted address; marks those. */
static bool holds_wanted(struct walk *w, size_t first)
{
	bool holds = false;

	for (size_t i = first; i < w->out->nranges; i++) {
		const struct dwarf_range *r = &w->out->ranges[i];
		size_t low = 0, high = w->nwanted;

		while (low < high) {
			size_t mid = low + (high - low) / 2;

			if (w->wanted[mid] < r->start)
				low = mid + 1;
			else
				high = mid;
		}
		if (low == w->nwanted || w->wanted[low] >= r->end)
			continue;
		holds = true;
		low = next_unfound(w, low);
		while (low < w->nwanted && w->wanted[low] < r->end) {
			w->unfound[low] = low + 1;
			w->missing--;
			low = next_unfound(w, low);
		}
	}
	return holds;
}

static const char *find_name(struct walk *w, uint64_t origin)
{
	struct known_name *k =
		&w->names[(origin * UINT64_C(0x9e3779b97f4a7c15) >> 32) % NAME_SLOTS];

	if (k->origin != origin) {
		k->name = sm_dwarf_name_in(w->c.d, origin, &w->copy);
		k->origin = origin;
	}
	return k->name;
}

/* Appends a scope whose ranges, from `first` on, are there already. */
static bool add_scope(struct walk *w, const struct dwarf_abbrev *a, size_t offset,
	const struct die *die, size_t first, uint32_t parent)
{
	struct dwarf_scopes *out = w->out;
	bool own = (a->flags & ABBREV_NAMED) || !(die->has & 1U << DIE_ORIGIN);
	uint64_t origin = own ? w->c.u->offset + offset : die->origin;

	if (out->n == out->cap &&
		!sm_grow(&out->scopes, &out->cap, out->n + 1, sizeof(*out->scopes)))
		return false;
	out->scopes[out->n++] = (struct dwarf_scope){
		.origin = origin,
		.name = find_name(w, origin),
		.parent = parent,
		.call_file = die->call_file,
		.call_line = die->call_line,
		.first_range = (uint32_t)first,
		.nranges = (uint32_t)(out->nranges - first),
	};
	return true;
}

static struct sm_error *enter(struct walk *w, size_t offset, uint32_t scope)
{
	if (w->depth + 1 == MAX_DEPTH)
		return bad_die(w, offset);
	w->scopes[++w->depth] = scope;
	return NULL;
}

/* A function or what was inlined, at `offset`. */
static struct sm_error *visit_scope(struct walk *w, const struct dwarf_abbrev *a, size_t offset)
{
	struct dwarf_scopes *out = w->out;
	bool function = a->kind == DIE_FUNCTION, taken;
	uint32_t around = w->scopes[w->depth];
	size_t first = out->nranges;
	struct sm_error *err = NULL;
	struct die die = {0};

	if (!(a->flags & ABBREV_CODE) && !w->deep && (function || around == DWARF_NONE)) {
		if (die_pass(&w->c, a))
			sm_dwarf_pass_children(&w->c);
		return NULL;
	}
	die_take(&w->c, a, &die);
	if (w->c.bad || w->c.pos > w->c.end)
		return bad_die(w, offset);
	if (function || around != DWARF_NONE)
		err = read_ranges(w, &die);
	if (err)
		return err;
	taken = out->nranges > first;
	if (taken && function && w->wanted)
		taken = holds_wanted(w, first);
	/* GCC writes lists that end early, by an empty range at the unit's start: what was inlined
	 * into it has ranges all the same. */
	if (!function && around != DWARF_NONE && (a->flags & ABBREV_CHILDREN))
		taken = true;
	if (taken) {
		if (out->n >= DWARF_NONE || out->nranges > UINT32_MAX)
			return bad_die(w, offset);
		if (!add_scope(w, a, offset, &die, first, function ? DWARF_NONE : around))
			return sm_error_nomem();
	} else {
		out->nranges = first;
	}
	if (!(a->flags & ABBREV_CHILDREN))
		return NULL;
	if (taken)
		return enter(w, offset, (uint32_t)(out->n - 1));
	if (w->deep || !function)
		return enter(w, offset, function ? DWARF_NONE : around);
	sm_dwarf_pass_below(&w->c, a, &die);
	return NULL;
}

static struct sm_error *visit(struct walk *w, const struct dwarf_abbrev *a, size_t offset)
{
	struct die die = {0};

	switch ((enum die_kind)a->kind) {
	case DIE_FUNCTION:
	case DIE_INLINED:
		return visit_scope(w, a, offset);
	case DIE_TYPE:
		if (!w->members)
			break;
		/* fall through */
	case DIE_BLOCK:
		die_take(&w->c, a, &die);
		return a->flags & ABBREV_CHILDREN ? enter(w, offset, w->scopes[w->depth]) : NULL;
	case DIE_OTHER:
		break;
	}
	if (die_pass(&w->c, a))
		sm_dwarf_pass_children(&w->c);
	return NULL;
}

/* The end of siblings. False = of the root's children. */
static bool leave(struct walk *w)
{
	uint32_t scope = w->scopes[w->depth];
	struct dwarf_scopes *out = w->out;

	if (!w->depth)
		return false;
	w->depth--;
	/* It was kept for what is inlined into it, and nothing is. */
	if (scope != w->scopes[w->depth] && scope == out->n - 1 && !out->scopes[scope].nranges)
		out->n--;
	return true;
}

static struct sm_error *walk(struct walk *w)
{
	w->c.pos = (size_t)(w->c.u->children - w->c.u->offset);
	w->depth = 0;
	w->scopes[0] = DWARF_NONE;
	while (w->c.pos < w->c.end) {
		size_t offset = w->c.pos;
		const struct dwarf_abbrev *a = die_next(&w->c);
		struct sm_error *err = NULL;

		if (a)
			err = visit(w, a, offset);
		if (err)
			return err;
		if (w->c.bad || w->c.pos > w->c.end)
			return bad_die(w, offset);
		if (!a && !leave(w))
			return NULL;
		if (!w->missing && w->scopes[w->depth] == DWARF_NONE)
			return NULL;
	}
	return NULL;
}

/* Do functions with code occur below types? In C they don't, and types are most of a unit. */
static bool has_members(const struct dwarf_unit *u)
{
	switch (u->language) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case 0x2c: /* DW_LANG_C17, which older headers lack */
	case DW_LANG_Mips_Assembler:
		return false;
	}
	return true;
}

static struct sm_error *walk_unit(struct walk *w)
{
	const size_t scopes = w->out->n, ranges = w->out->nranges;
	struct sm_error *err;

	w->members = !w->wanted && has_members(w->c.u);
	w->missing = SIZE_MAX;
	if (w->wanted)
		forget_found(w);
	w->deep = !w->wanted;
	err = walk(w);
	/* They may be in functions within others: look everywhere. */
	if (err || !w->wanted || !w->missing)
		return err;
	w->members = has_members(w->c.u);
	w->deep = true;
	w->out->n = scopes;
	w->out->nranges = ranges;
	forget_found(w);
	return walk(w);
}

/* Copies the unit where that is cheaper than to go through what is mapped. */
static struct sm_error *copy_unit(struct walk *w)
{
	const struct dwarf_file *file = w->c.u->file;
	struct dwarf_scopes *out = w->out;

	w->c.end = (size_t)(w->c.u->end - w->c.u->offset);
	w->c.data = file->info.data + w->c.u->offset;
	if (w->c.end > COPY_MOST)
		return NULL;
	if (!sm_grow(&out->unit, &out->unit_cap, w->c.end, 1))
		return sm_error_nomem();
	if (sm_object_copy(file->obj, w->c.data, w->c.end, out->unit)) {
		w->c.data = out->unit;
		w->copy = (struct unit_copy){.u = w->c.u, .data = out->unit, .len = w->c.end};
	}
	return NULL;
}

static struct sm_error *scopes_of(struct walk *w)
{
	struct sm_error *err = copy_unit(w);

	if (err)
		return err;
	w->c.swap = w->c.u->file->swap;
	w->budget = w->c.end + 4096;
	if (w->wanted) {
		w->unfound = calloc(w->nwanted + 1, sizeof(*w->unfound));
		if (!w->unfound)
			return sm_error_nomem();
	}
	err = walk_unit(w);
	free(w->unfound);
	return err;
}

struct sm_error *sm_dwarf_scopes(struct dwarf *d, uint32_t unit, const uint64_t *wanted,
	size_t nwanted, struct dwarf_scopes *scopes)
{
	const struct dwarf_abbrevs *abbrevs;
	struct sm_error *err;
	struct dwarf_unit *u;
	struct walk *w;

	if (unit >= d->nunits)
		return NULL;
	u = &d->units[unit];
	/* Before the root, which is found faster then. */
	err = sm_dwarf_abbrevs(u, &abbrevs);
	if (!err)
		err = sm_dwarf_unit_load(d, u);
	if (err || !u->children)
		return err;
	w = malloc(sizeof(*w));
	if (!w)
		return sm_error_nomem();
	/* The rest is written before it is read. */
	memset(w, 0, offsetof(struct walk, scopes));
	w->c.d = d;
	w->c.u = u;
	w->c.abbrevs = abbrevs;
	w->out = scopes;
	w->wanted = wanted;
	w->nwanted = nwanted;
	err = scopes_of(w);
	free(w);
	return err;
}

void sm_dwarf_scopes_release(struct dwarf_scopes *scopes)
{
	free(scopes->scopes);
	free(scopes->ranges);
	free(scopes->unit);
	*scopes = (struct dwarf_scopes){0};
}
