/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The name of a function: often several DIEs away from its code. */
#include <dwarf.h>

#include "dwarf_die.h"

struct names {
	const char *linkage, *name;
	uint64_t origin, specification; /* 0 = none: offset 0 is that of a header */
};

static void take_name(struct names *n, uint64_t attr, const struct dwarf_value *v)
{
	bool string = v->kind == DWARF_STRING && v->s, reference = v->kind == DWARF_REFERENCE;

	switch (attr) {
	case DW_AT_name:
		if (string && !n->name)
			n->name = v->s;
		break;
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
		if (string)
			n->linkage = v->s;
		break;
	case DW_AT_abstract_origin:
		if (reference)
			n->origin = v->u;
		break;
	case DW_AT_specification:
		if (reference)
			n->specification = v->u;
		break;
	}
}

static bool is_wanted(uint64_t attr)
{
	return attr == DW_AT_name || attr == DW_AT_linkage_name ||
	       attr == DW_AT_MIPS_linkage_name || attr == DW_AT_abstract_origin ||
	       attr == DW_AT_specification;
}

static bool read_names(
	struct dwarf *d, uint64_t offset, const struct unit_copy *copy, struct names *n)
{
	struct dwarf_unit *u = sm_dwarf_unit_of(d, offset);
	struct sm_error *err = u ? sm_dwarf_unit_load(d, u) : NULL;
	struct die_reader r;

	if (err) {
		sm_error_free(err);
		return false;
	}
	if (!u || !sm_dwarf_die_begin(&r, u, offset & ~DWARF_ALT, copy))
		return false;
	while (sm_dwarf_die_next(&r)) {
		struct dwarf_value v;

		if (!is_wanted(r.attr)) {
			sm_dwarf_form_skip(u, &r.b, (uint32_t)r.form);
			continue;
		}
		sm_dwarf_die_read(d, &r, &v);
		if (!r.b.bad)
			take_name(n, r.attr, &v);
	}
	return !r.b.bad;
}

const char *sm_dwarf_name_in(struct dwarf *d, uint64_t origin, const struct unit_copy *copy)
{
	struct names n = {.origin = origin};

	for (unsigned hop = 0; hop < DWARF_MAX_HOPS; hop++) {
		uint64_t next = n.origin ? n.origin : n.specification;

		if (!next)
			break;
		n.origin = n.specification = 0;
		if (!read_names(d, next, copy, &n))
			break;
		if (n.linkage)
			return n.linkage;
	}
	return n.name;
}

const char *sm_dwarf_name(struct dwarf *d, uint64_t origin)
{
	return sm_dwarf_name_in(d, origin, NULL);
}
