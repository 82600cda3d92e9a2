/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of abbreviations, each parsed once, into what a walk needs: how far to skip, and where
 * what it takes lies. A lock would cost more than parsing a table twice, when two threads meet at
 * one.
 */
#include <dwarf.h>
#include <stdlib.h>

#include "dwarf_die.h"

struct table_slot {
	uint64_t key;                /* see table_key() */
	struct dwarf_abbrevs *table; /* atomic: NULL = not parsed yet */
};

struct dwarf_tables {
	struct table_slot *slots; /* by key */
	size_t n;
	uint64_t parsed; /* atomic: bytes of .debug_abbrev */
};

/* Stands for a table that makes no sense, so that it isn't tried again and again. */
static const struct dwarf_abbrevs bad_marker;

/* What a table is compiled to depends on the unit's sizes too. */
static uint64_t table_key(const struct dwarf_unit *u)
{
	return u->abbrev_offset << 3 | (u->addr_size == 8 ? 4 : 0) | (u->offset_size == 8 ? 2 : 0) |
	       (u->version == 2 ? 1 : 0);
}

static int compare_keys(const void *a, const void *b)
{
	uint64_t x = ((const struct table_slot *)a)->key, y = ((const struct table_slot *)b)->key;

	return x < y ? -1 : x > y;
}

struct sm_error *sm_dwarf_tables_new(struct dwarf_file *file, struct dwarf_unit *units, size_t n)
{
	struct dwarf_tables *t = calloc(1, sizeof(*t));
	bool sorted = true;
	size_t k = 0;

	file->tables = t;
	if (!t)
		return sm_error_nomem();
	t->slots = calloc(n ? n : 1, sizeof(*t->slots));
	if (!t->slots)
		return sm_error_nomem();
	for (size_t i = 0; i < n; i++) {
		t->slots[i].key = table_key(&units[i]);
		sorted = sorted && (!i || t->slots[i - 1].key <= t->slots[i].key);
	}
	if (!sorted)
		qsort(t->slots, n, sizeof(*t->slots), compare_keys);
	for (size_t i = 0; i < n; i++)
		if (!k || t->slots[k - 1].key != t->slots[i].key)
			t->slots[k++].key = t->slots[i].key;
	t->n = k;
	k = 0;
	for (size_t i = 0; i < n; i++) {
		struct table_slot wanted = {.key = table_key(&units[i])};

		while (sorted && t->slots[k].key != wanted.key)
			k++;
		if (!sorted) {
			struct table_slot *slot =
				bsearch(&wanted, t->slots, t->n, sizeof(wanted), compare_keys);

			k = (size_t)(slot - t->slots);
		}
		units[i].table = (uint32_t)k;
	}
	return NULL;
}

static void free_table(struct dwarf_abbrevs *t)
{
	if (!t || t == &bad_marker)
		return;
	free(t->items);
	free(t->steps);
	free(t->codes);
	free(t);
}

void sm_dwarf_tables_free(struct dwarf_tables *tables)
{
	if (!tables)
		return;
	for (size_t i = 0; i < tables->n; i++)
		free_table(tables->slots[i].table);
	free(tables->slots);
	free(tables);
}

/* ---- compiling ---- */

struct compiler {
	const struct dwarf_unit *u;
	struct dwarf_abbrevs *t;
	struct dwarf_bytes b;
	size_t items_cap, nitems, steps_cap, nsteps, codes_cap;
	bool no_memory;
	/* Of the abbreviation at hand */
	uint32_t skip;
	unsigned taken; /* bit of each enum die_attr */
};

static enum die_kind kind_of(uint64_t tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
		return DIE_FUNCTION;
	case DW_TAG_inlined_subroutine:
		return DIE_INLINED;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
	case DW_TAG_namespace:
	case DW_TAG_module:
		return DIE_BLOCK;
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
	case DW_TAG_enumeration_type:
		return DIE_TYPE;
	default:
		return DIE_OTHER;
	}
}

static enum die_attr attr_of(enum die_kind kind, uint64_t attr)
{
	if (attr == DW_AT_sibling)
		return DIE_SIBLING;
	if (kind != DIE_FUNCTION && kind != DIE_INLINED)
		return DIE_NOTHING;
	switch (attr) {
	case DW_AT_low_pc:
		return DIE_LOW_PC;
	case DW_AT_high_pc:
		return DIE_HIGH_PC;
	case DW_AT_ranges:
		return DIE_RANGES;
	case DW_AT_abstract_origin:
	case DW_AT_specification:
		return DIE_ORIGIN;
	case DW_AT_call_file:
		return kind == DIE_INLINED ? DIE_CALL_FILE : DIE_NOTHING;
	case DW_AT_call_line:
		return kind == DIE_INLINED ? DIE_CALL_LINE : DIE_NOTHING;
	default:
		return DIE_NOTHING;
	}
}

static void add_step(struct compiler *c, uint8_t op, enum die_attr attr, uint32_t value)
{
	/* What exceeds the field goes before, in steps of its own. */
	for (;;) {
		uint16_t skip = c->skip > UINT16_MAX ? UINT16_MAX : (uint16_t)c->skip;
		bool last = skip == c->skip;

		if (!sm_grow(&c->t->steps, &c->steps_cap, c->nsteps + 1, sizeof(*c->t->steps))) {
			c->no_memory = true;
			return;
		}
		c->t->steps[c->nsteps++] = (struct die_step){.skip = skip,
			.op = last ? op : STEP_SKIP,
			.attr = (uint8_t)(last ? attr : DIE_NOTHING),
			.value = last ? value : 0};
		c->skip -= skip;
		if (last)
			return;
	}
}

static uint8_t passing_op(uint64_t form)
{
	switch (form) {
	case DW_FORM_string:
		return STEP_STRING;
	case DW_FORM_block1:
		return STEP_BLOCK1;
	case DW_FORM_block2:
		return STEP_BLOCK2;
	case DW_FORM_block4:
		return STEP_BLOCK4;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		return STEP_BLOCK;
	case DW_FORM_indirect:
		return STEP_FORM;
	default:
		return STEP_ULEB;
	}
}

/* Forms whose value is the bytes as they are, in the sense in which dwarf_scope.c takes the
 * attribute. Others go through sm_dwarf_form_read(). */
static uint8_t taking_op(const struct dwarf_unit *u, enum die_attr attr, uint64_t form)
{
	bool constant = attr == DIE_CALL_FILE || attr == DIE_CALL_LINE || attr == DIE_HIGH_PC;
	bool reference = attr == DIE_SIBLING || attr == DIE_ORIGIN;

	switch (form) {
	case DW_FORM_addr:
		if (attr == DIE_LOW_PC)
			return u->addr_size == 8 ? STEP_TAKE_8 : STEP_TAKE_4;
		break;
	case DW_FORM_data1:
		if (constant)
			return STEP_TAKE_1;
		break;
	case DW_FORM_data2:
		if (constant)
			return STEP_TAKE_2;
		break;
	case DW_FORM_data4:
		if (constant || attr == DIE_RANGES)
			return STEP_TAKE_4;
		break;
	case DW_FORM_data8:
		if (constant || attr == DIE_RANGES)
			return STEP_TAKE_8;
		break;
	case DW_FORM_udata:
		if (constant)
			return STEP_TAKE_ULEB;
		break;
	case DW_FORM_sec_offset:
		if (attr == DIE_RANGES)
			return u->offset_size == 8 ? STEP_TAKE_8 : STEP_TAKE_4;
		break;
	case DW_FORM_ref1:
		if (reference)
			return STEP_TAKE_1;
		break;
	case DW_FORM_ref2:
		if (reference)
			return STEP_TAKE_2;
		break;
	case DW_FORM_ref4:
		if (reference)
			return STEP_TAKE_4;
		break;
	case DW_FORM_ref8:
		if (reference)
			return STEP_TAKE_8;
		break;
	case DW_FORM_ref_udata:
		if (reference)
			return STEP_TAKE_ULEB;
		break;
	}
	return STEP_TAKE_FORM;
}

static void compile_attr(
	struct compiler *c, struct dwarf_abbrev *a, uint64_t name, uint64_t form, int64_t implicit)
{
	int size = sm_dwarf_form_size(c->u, form);
	enum die_attr attr = attr_of(a->kind, name);

	if (name == DW_AT_name || name == DW_AT_linkage_name || name == DW_AT_MIPS_linkage_name)
		a->flags |= ABBREV_NAMED;
	if (name == DW_AT_low_pc || name == DW_AT_ranges)
		a->flags |= ABBREV_CODE;
	if (size == FORM_UNKNOWN) {
		c->b.bad = true;
		return;
	}
	/* Of an attribute that is there twice, the first counts. */
	if (attr && (c->taken & 1U << attr)) {
		if (attr == DIE_ORIGIN)
			a->flags |= ABBREV_NAMED;
		attr = DIE_NOTHING;
	}
	c->taken |= 1U << attr;
	if (attr == DIE_SIBLING && form == DW_FORM_ref4 && (a->flags & ABBREV_FIXED) &&
		c->skip <= UINT16_MAX && a->kind != DIE_FUNCTION && a->kind != DIE_INLINED) {
		a->flags |= ABBREV_SIBLING4;
		a->sibling = (uint16_t)c->skip;
		attr = DIE_NOTHING;
	}
	if (attr == DIE_SIBLING)
		a->flags |= ABBREV_SIBLING;
	if (attr == DIE_NOTHING && size >= 0) {
		c->skip += (uint32_t)size;
		return;
	}
	a->flags &= (uint8_t)~ABBREV_FIXED;
	if (attr == DIE_NOTHING)
		add_step(c, passing_op(form), attr, DW_FORM_indirect);
	else if (form == DW_FORM_implicit_const)
		add_step(c, STEP_TAKE_VALUE, attr,
			implicit < 0 || implicit > UINT32_MAX ? 0 : (uint32_t)implicit);
	else
		add_step(c, taking_op(c->u, attr, form), attr, (uint32_t)form);
}

static void compile_attrs(struct compiler *c, struct dwarf_abbrev *a)
{
	for (unsigned n = 0; !c->b.bad && !c->no_memory; n++) {
		uint64_t name = dwarf_uleb(&c->b), form = dwarf_uleb(&c->b);
		int64_t implicit = form == DW_FORM_implicit_const ? dwarf_sleb(&c->b) : 0;

		if (!name && !form)
			break;
		if (n == DWARF_MAX_ATTRS) {
			c->b.bad = true;
			break;
		}
		compile_attr(c, a, name, form, implicit);
	}
	if ((a->flags & ABBREV_FIXED) && c->skip <= UINT16_MAX) {
		a->size = (uint16_t)c->skip;
		return;
	}
	a->flags &= (uint8_t)~ABBREV_FIXED;
	add_step(c, STEP_END, DIE_NOTHING, 0);
}

static bool add_code(struct compiler *c, uint64_t code)
{
	struct dwarf_abbrevs *t = c->t;

	if (!t->ncodes && code == c->nitems + 1) {
		t->ndense++;
		return true;
	}
	if (!sm_grow(&t->codes, &c->codes_cap, (size_t)t->ncodes + 1, sizeof(*t->codes)))
		return false;
	t->codes[t->ncodes++] = (struct abbrev_code){.code = code, .item = (uint32_t)c->nitems};
	return true;
}

static bool compile_one(struct compiler *c)
{
	struct dwarf_abbrevs *t = c->t;
	struct dwarf_abbrev *a;
	uint64_t code = dwarf_uleb(&c->b), tag;

	if (c->b.bad || !code)
		return false;
	tag = dwarf_uleb(&c->b);
	if (!sm_grow(&t->items, &c->items_cap, c->nitems + 1, sizeof(*t->items)) ||
		!add_code(c, code)) {
		c->no_memory = true;
		return false;
	}
	a = &t->items[c->nitems++];
	*a = (struct dwarf_abbrev){.steps = (uint32_t)c->nsteps,
		.tag = tag > UINT16_MAX ? 0 : (uint16_t)tag,
		.kind = (uint8_t)kind_of(tag),
		.flags = ABBREV_FIXED};
	if (dwarf_u(&c->b, 1))
		a->flags |= ABBREV_CHILDREN;
	if ((uint64_t)(c->b.p - t->raw) > UINT32_MAX || c->nsteps > UINT32_MAX - DWARF_MAX_ATTRS) {
		c->b.bad = true;
		return false;
	}
	a->raw = (uint32_t)(c->b.p - t->raw);
	c->skip = 0;
	c->taken = 0;
	compile_attrs(c, a);
	return !c->b.bad && !c->no_memory;
}

static int compare_codes(const void *a, const void *b)
{
	const struct abbrev_code *x = a, *y = b;

	if (x->code != y->code)
		return x->code < y->code ? -1 : 1;
	return x->item < y->item ? -1 : x->item > y->item;
}

static struct sm_error *bad_table(const struct dwarf_unit *u)
{
	return sm_error_at(SM_E_FORMAT, u->file->obj->path, u->offset, "bad abbreviations",
		"the unit at this offset of .debug_info names those at 0x%llx",
		(unsigned long long)u->abbrev_offset);
}

/* Tables overlap only in a forged file, where each could be as long as the section. Together they
 * may have a few times its size. */
static bool too_much(const struct dwarf_unit *u, uint64_t bytes)
{
	uint64_t all = __atomic_add_fetch(&u->file->tables->parsed, bytes, __ATOMIC_RELAXED);

	return all / 4 > u->file->abbrev.len;
}

/* Gives back what an array was grown too far. */
static void shrink(void *array, size_t size)
{
	void **p = array;
	void *less = size ? realloc(*p, size) : NULL;

	if (less)
		*p = less;
}

/* NULL where memory is short. */
static struct dwarf_abbrevs *compile_table(const struct dwarf_unit *u)
{
	const struct dwarf_section *s = &u->file->abbrev;
	struct compiler c = {.u = u, .t = calloc(1, sizeof(*c.t))};

	if (!c.t)
		return NULL;
	c.b.p = c.t->raw = s->data + u->abbrev_offset;
	c.b.end = c.t->raw_end = s->data + s->len;
	c.b.swap = u->file->swap;
	c.b.bad = too_much(u, 0);
	while (!c.b.bad && compile_one(&c))
		;
	c.t->bytes = (uint64_t)(c.b.p - c.t->raw);
	if (too_much(u, c.t->bytes))
		c.b.bad = true;
	if (c.b.bad || c.no_memory) {
		free_table(c.t);
		return c.no_memory ? NULL : (struct dwarf_abbrevs *)&bad_marker;
	}
	shrink(&c.t->items, c.nitems * sizeof(*c.t->items));
	shrink(&c.t->steps, c.nsteps * sizeof(*c.t->steps));
	if (c.t->ncodes)
		qsort(c.t->codes, c.t->ncodes, sizeof(*c.t->codes), compare_codes);
	return c.t;
}

struct sm_error *sm_dwarf_abbrevs(const struct dwarf_unit *u, const struct dwarf_abbrevs **table)
{
	struct table_slot *slot = &u->file->tables->slots[u->table];
	struct dwarf_abbrevs *t = __atomic_load_n(&slot->table, __ATOMIC_ACQUIRE), *other = NULL;

	if (!t) {
		t = compile_table(u);
		if (!t)
			return sm_error_nomem();
		if (!__atomic_compare_exchange_n(
			    &slot->table, &other, t, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
			if (t != &bad_marker)
				too_much(u, 0 - t->bytes);
			free_table(t);
			t = other;
		}
	}
	*table = t;
	return t == &bad_marker ? bad_table(u) : NULL;
}

const struct dwarf_abbrevs *sm_dwarf_abbrevs_known(const struct dwarf_unit *u)
{
	const struct table_slot *slot = &u->file->tables->slots[u->table];
	const struct dwarf_abbrevs *t = __atomic_load_n(&slot->table, __ATOMIC_ACQUIRE);

	return t == &bad_marker ? NULL : t;
}

const struct dwarf_abbrev *sm_dwarf_abbrev_find(const struct dwarf_abbrevs *t, uint64_t code)
{
	size_t low = 0, high = t->ncodes;

	if (code - 1 < t->ndense)
		return &t->items[code - 1];
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (t->codes[mid].code < code)
			low = mid + 1;
		else
			high = mid;
	}
	return low < t->ncodes && t->codes[low].code == code ? &t->items[t->codes[low].item] : NULL;
}
