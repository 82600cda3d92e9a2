/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One DIE with all its attributes. */
#include <dwarf.h>

#include "dwarf_die.h"

/* Looks for the abbreviation in the table's bytes, of which only a part may be there. */
static bool scan_abbrevs(struct die_reader *r, uint64_t code)
{
	struct dwarf_bytes *b = &r->specs;

	*b = (struct dwarf_bytes){.p = r->copy.abbrevs,
		.end = r->copy.abbrevs + r->copy.abbrevs_len,
		.swap = r->u->file->swap};
	while (!b->bad) {
		uint64_t found = dwarf_uleb(b);

		r->tag = dwarf_uleb(b);
		r->children = dwarf_u(b, 1) != 0;
		if (!found || b->bad)
			return false;
		if (found == code)
			return true;
		for (uint64_t name = 1, form = 1; (name || form) && !b->bad;) {
			name = dwarf_uleb(b);
			form = dwarf_uleb(b);
			if (form == DW_FORM_implicit_const)
				dwarf_uleb(b);
		}
	}
	return false;
}

static bool find_abbrev(struct die_reader *r, uint64_t code)
{
	const struct dwarf_abbrevs *t = sm_dwarf_abbrevs_known(r->u);
	const struct dwarf_abbrev *a;
	struct sm_error *err;

	if (!t && r->copy.abbrevs)
		return scan_abbrevs(r, code);
	err = t ? NULL : sm_dwarf_abbrevs(r->u, &t);
	if (err) {
		sm_error_free(err);
		return false;
	}
	a = dwarf_abbrev(t, code);
	if (!a)
		return false;
	r->specs = (struct dwarf_bytes){
		.p = t->raw + a->raw, .end = t->raw_end, .swap = r->u->file->swap};
	r->tag = a->tag;
	r->children = a->flags & ABBREV_CHILDREN;
	return true;
}

bool sm_dwarf_die_begin(struct die_reader *r, const struct dwarf_unit *u, uint64_t offset,
	const struct unit_copy *copy)
{
	const uint8_t *data = u->file->info.data + u->offset;
	size_t len = (size_t)(u->end - u->offset);
	uint64_t code;

	*r = (struct die_reader){.u = u};
	if (copy && copy->u == u)
		r->copy = *copy;
	if (r->copy.data) {
		data = copy->data;
		len = copy->len;
	}
	if (offset < u->root || offset - u->offset >= len)
		return false;
	r->b = (struct dwarf_bytes){
		.p = data + (offset - u->offset), .end = data + len, .swap = u->file->swap};
	code = dwarf_uleb(&r->b);
	return !r->b.bad && code && find_abbrev(r, code);
}

bool sm_dwarf_die_next(struct die_reader *r)
{
	if (r->b.bad || r->n++ == DWARF_MAX_ATTRS)
		return false;
	r->attr = dwarf_uleb(&r->specs);
	r->form = dwarf_uleb(&r->specs);
	r->implicit = r->form == DW_FORM_implicit_const ? dwarf_sleb(&r->specs) : 0;
	/* Forms are passed on as 32 bits. */
	if (r->specs.bad || r->form > UINT16_MAX)
		r->b.bad = true;
	return !r->b.bad && (r->attr || r->form);
}

/* From the copy to the section */
static const void *original(const struct die_reader *r, const void *p)
{
	uintptr_t at = (uintptr_t)p - (uintptr_t)r->copy.data;

	if (!r->copy.data || at >= r->copy.len)
		return p;
	return r->u->file->info.data + r->u->offset + at;
}

void sm_dwarf_die_read(const struct dwarf *d, struct die_reader *r, struct dwarf_value *v)
{
	sm_dwarf_form_read(d, r->u, &r->b, (uint32_t)r->form, r->implicit, v);
	if (r->form == DW_FORM_string || r->form == DW_FORM_indirect)
		v->s = v->s ? original(r, v->s) : NULL;
	if (v->block)
		v->block = original(r, v->block);
}

uint64_t sm_dwarf_die_offset(const struct die_reader *r)
{
	const uint8_t *data = r->u->file->info.data + r->u->offset;

	return r->u->offset + (uint64_t)(r->b.p - (r->copy.data ? r->copy.data : data));
}
