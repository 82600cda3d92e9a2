/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Going from DIE to DIE by the steps of their abbreviations. What is below runs for each DIE of a
 * vmlinux, of which there are millions, so it is inlined.
 */
#ifndef SMTOOL_SYMBOL_DWARF_STEP_H
#define SMTOOL_SYMBOL_DWARF_STEP_H

#include "dwarf_die.h"

struct die_cursor {
	struct dwarf *d;
	const struct dwarf_unit *u;
	const struct dwarf_abbrevs *abbrevs;
	const uint8_t *data; /* of the unit; positions are offsets in it, */
	size_t pos, end;     /* and may be beyond the end until they are used */
	bool swap, bad;
};

/* What was taken of a DIE. `has` has a bit of each enum die_attr. */
struct die {
	unsigned has;
	bool high_is_size;
	uint64_t sibling, low_pc, high_pc, ranges, origin;
	uint32_t call_file, call_line;
};

void sm_dwarf_pass_string(struct die_cursor *c);
void sm_dwarf_pass_form(struct die_cursor *c, uint32_t form);
/* A value as its form has it: dwarf_abbrev.c says which forms come here for which attribute. */
void sm_dwarf_take_plain(struct die_cursor *c, struct die *die, enum die_attr attr, uint64_t v);
void sm_dwarf_take_form(struct die_cursor *c, struct die *die, enum die_attr attr, uint32_t form);

static inline uint64_t die_load(struct die_cursor *c, unsigned size)
{
	const uint8_t *p;

	if (c->pos > c->end || c->end - c->pos < size) {
		c->bad = true;
		return 0;
	}
	p = c->data + c->pos;
	c->pos += size;
	switch (size) {
	case 1:
		return *p;
	case 2:
		return sm_load16(p, c->swap);
	case 4:
		return sm_load32(p, c->swap);
	default:
		return sm_load64(p, c->swap);
	}
}

static inline uint64_t die_uleb(struct die_cursor *c)
{
	uint64_t v = 0;

	for (unsigned shift = 0; c->pos < c->end; shift += 7) {
		uint8_t byte = c->data[c->pos++];

		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return v;
	}
	c->bad = true;
	return 0;
}

static inline void die_skip(struct die_cursor *c, uint64_t len)
{
	if (c->pos > c->end || len > c->end - c->pos)
		c->bad = true;
	else
		c->pos += len;
}

/* Goes over one attribute; false at the DIE's end. */
static inline bool die_step(struct die_cursor *c, const struct die_step *s, struct die *die)
{
	uint64_t v;

	c->pos += s->skip;
	switch ((enum step_op)s->op) {
	case STEP_END:
		return false;
	case STEP_SKIP:
		return true;
	case STEP_ULEB:
		die_uleb(c);
		return true;
	case STEP_STRING:
		sm_dwarf_pass_string(c);
		return true;
	case STEP_BLOCK1:
		die_skip(c, die_load(c, 1));
		return true;
	case STEP_BLOCK2:
		die_skip(c, die_load(c, 2));
		return true;
	case STEP_BLOCK4:
		die_skip(c, die_load(c, 4));
		return true;
	case STEP_BLOCK:
		die_skip(c, die_uleb(c));
		return true;
	case STEP_FORM:
		sm_dwarf_pass_form(c, s->value);
		return true;
	case STEP_TAKE_FORM:
		sm_dwarf_take_form(c, die, s->attr, s->value);
		return true;
	case STEP_TAKE_1:
		v = die_load(c, 1);
		break;
	case STEP_TAKE_2:
		v = die_load(c, 2);
		break;
	case STEP_TAKE_4:
		v = die_load(c, 4);
		break;
	case STEP_TAKE_8:
		v = die_load(c, 8);
		break;
	case STEP_TAKE_ULEB:
		v = die_uleb(c);
		break;
	case STEP_TAKE_VALUE:
		v = s->value;
		break;
	default:
		c->bad = true;
		return false;
	}
	if (!c->bad)
		sm_dwarf_take_plain(c, die, s->attr, v);
	return true;
}

static inline void die_take(struct die_cursor *c, const struct dwarf_abbrev *a, struct die *die)
{
	const struct die_step *s;

	if (a->flags & ABBREV_FIXED) {
		c->pos += a->size;
		return;
	}
	s = &c->abbrevs->steps[a->steps];
	while (!c->bad && die_step(c, s, die))
		s++;
}

/* Goes over a DIE's attributes and, where a sibling says where they end, its children. True where
 * the children come next. */
static inline bool die_pass(struct die_cursor *c, const struct dwarf_abbrev *a)
{
	const bool children = a->flags & ABBREV_CHILDREN;
	const size_t start = c->pos;
	size_t next = 0;

	if (children && (a->flags & ABBREV_SIBLING4)) {
		c->pos += a->sibling;
		next = die_load(c, 4);
		if (next > c->pos && next <= c->end && !c->bad) {
			c->pos = next;
			return false;
		}
		c->pos = start;
	}
	if (a->flags & ABBREV_FIXED) {
		c->pos += a->size;
	} else {
		const struct die_step *s = &c->abbrevs->steps[a->steps];
		struct die die = {0};

		while (!c->bad && die_step(c, s, &die)) {
			if (children && s->attr == DIE_SIBLING && die.sibling > c->pos &&
				die.sibling <= c->end) {
				c->pos = die.sibling;
				return false;
			}
			s++;
		}
	}
	return children;
}

/* The next DIE's abbreviation: NULL for the end of siblings, or where c->bad is set. */
static inline const struct dwarf_abbrev *die_next(struct die_cursor *c)
{
	const struct dwarf_abbrev *a;
	uint64_t code;

	code = c->data[c->pos];
	if (code < 0x80)
		c->pos++;
	else
		code = die_uleb(c);
	if (!code)
		return NULL;
	a = dwarf_abbrev(c->abbrevs, code);
	if (!a)
		c->bad = true;
	return a;
}

/* Goes over all children, whose parent has no sibling attribute. */
void sm_dwarf_pass_children(struct die_cursor *c);
/* Goes over the children of a DIE that was taken. */
void sm_dwarf_pass_below(struct die_cursor *c, const struct dwarf_abbrev *a, const struct die *die);

#endif
