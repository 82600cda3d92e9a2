/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What dwarf_step.h needs seldom. */
#include "dwarf_step.h"

void sm_dwarf_pass_string(struct die_cursor *c)
{
	const uint8_t *nul = c->pos < c->end ? memchr(c->data + c->pos, 0, c->end - c->pos) : NULL;

	if (nul)
		c->pos = (size_t)(nul - c->data) + 1;
	else
		c->bad = true;
}

static bool at(struct die_cursor *c, struct dwarf_bytes *b)
{
	if (c->pos > c->end) {
		c->bad = true;
		return false;
	}
	*b = (struct dwarf_bytes){.p = c->data + c->pos, .end = c->data + c->end, .swap = c->swap};
	return true;
}

static void left_at(struct die_cursor *c, const struct dwarf_bytes *b)
{
	c->pos = (size_t)(b->p - c->data);
	c->bad = c->bad || b->bad;
}

void sm_dwarf_pass_form(struct die_cursor *c, uint32_t form)
{
	struct dwarf_bytes b;

	if (!at(c, &b))
		return;
	sm_dwarf_form_skip(c->u, &b, form);
	left_at(c, &b);
}

static void set(struct die *die, enum die_attr attr, uint64_t v)
{
	die->has |= 1U << attr;
	switch (attr) {
	case DIE_SIBLING:
		die->sibling = v;
		break;
	case DIE_LOW_PC:
		die->low_pc = v;
		break;
	case DIE_HIGH_PC:
		die->high_pc = v;
		break;
	case DIE_RANGES:
		die->ranges = v;
		break;
	case DIE_ORIGIN:
		die->origin = v;
		break;
	case DIE_CALL_FILE:
		die->call_file = v > UINT32_MAX ? 0 : (uint32_t)v;
		break;
	case DIE_CALL_LINE:
		die->call_line = v > UINT32_MAX ? 0 : (uint32_t)v;
		break;
	case DIE_NOTHING:
		break;
	}
}

void sm_dwarf_take_plain(struct die_cursor *c, struct die *die, enum die_attr attr, uint64_t v)
{
	if (attr == DIE_ORIGIN) {
		if (v >= c->end)
			return;
		v += c->u->offset;
	}
	if (attr == DIE_HIGH_PC)
		die->high_is_size = true;
	set(die, attr, v);
}

void sm_dwarf_take_form(struct die_cursor *c, struct die *die, enum die_attr attr, uint32_t form)
{
	struct dwarf_value v;
	struct dwarf_bytes b;
	bool fits = false;

	if (!at(c, &b))
		return;
	sm_dwarf_form_read(c->d, c->u, &b, form, 0, &v);
	left_at(c, &b);
	switch (attr) {
	case DIE_SIBLING:
		fits = v.kind == DWARF_REFERENCE && v.u >= c->u->offset;
		v.u -= c->u->offset;
		break;
	case DIE_ORIGIN:
		fits = v.kind == DWARF_REFERENCE;
		break;
	case DIE_LOW_PC:
		fits = v.kind == DWARF_ADDRESS;
		break;
	case DIE_HIGH_PC:
		fits = v.kind == DWARF_ADDRESS || v.kind == DWARF_CONSTANT;
		die->high_is_size = v.kind == DWARF_CONSTANT;
		break;
	case DIE_RANGES:
		fits = v.kind == DWARF_OFFSET || v.kind == DWARF_CONSTANT;
		break;
	case DIE_CALL_FILE:
	case DIE_CALL_LINE:
		fits = v.kind == DWARF_CONSTANT;
		break;
	case DIE_NOTHING:
		break;
	}
	if (fits)
		set(die, attr, v.u);
}

void sm_dwarf_pass_children(struct die_cursor *c)
{
	size_t level = 1;

	while (level && c->pos < c->end && !c->bad) {
		const struct dwarf_abbrev *a = die_next(c);

		if (!a)
			level--;
		else if (die_pass(c, a))
			level++;
	}
}

void sm_dwarf_pass_below(struct die_cursor *c, const struct dwarf_abbrev *a, const struct die *die)
{
	if (!(a->flags & ABBREV_CHILDREN))
		return;
	if ((die->has & 1U << DIE_SIBLING) && die->sibling > c->pos && die->sibling <= c->end)
		c->pos = die->sibling;
	else
		sm_dwarf_pass_children(c);
}
