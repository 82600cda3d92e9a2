// SPDX-License-Identifier: GPL-2.0-or-later
/* dwarfwriter: units, DIEs and their abbreviations, and what refers to labels. */
#include "dwarfpool.h"

#include <stdlib.h>
#include <string.h>

unsigned dw_offset_size(const struct dw *d)
{
	return d->style.dwarf64 ? 8 : 4;
}

unsigned dw_word(const struct dw *d)
{
	return d->elf->bits / 8;
}

size_t dw_length_open(struct dw *d, struct ew_section *s)
{
	if (d->style.dwarf64)
		ew_u(s, 4, 0xffffffff);
	ew_u(s, dw_offset_size(d), 0);
	return s->len - dw_offset_size(d);
}

void dw_length_close(struct dw *d, struct ew_section *s, size_t at)
{
	unsigned size = dw_offset_size(d);

	ew_patch(s, at, size, s->len - at - size);
}

struct dw_frame *dw_frame(struct dw *d)
{
	if (!d->priv->depth)
		ew_die("dwarfwriter: an attribute outside of a unit");
	return &d->priv->frames[d->priv->depth - 1];
}

bool dw_at_root(const struct dw *d)
{
	return d->priv->depth == 1;
}

struct dw *dw_new(struct ew *f, const struct dw_style *style)
{
	struct dw *d = ew_alloc(sizeof(*d));

	d->elf = f;
	if (style)
		d->style = *style;
	d->priv = ew_alloc(sizeof(*d->priv));
	d->priv->frames = ew_alloc(DW_MAX_DEPTH * sizeof(struct dw_frame));
	d->info = ew_debug(f, ".debug_info");
	ew_debug(f, ".debug_abbrev");
	return d;
}

void dw_free(struct dw *d)
{
	struct dw_private *p = d->priv;

	for (size_t i = 0; i < p->nplaces; i++)
		free(p->places[i].label);
	for (size_t i = 0; i < p->nwaits; i++)
		free(p->waits[i].label);
	free(p->frames);
	free(p->unit_abbrevs.items);
	free(p->shared_abbrevs.items);
	free(p->shared_users);
	free(p->places);
	free(p->waits);
	free(p->strings);
	free(p->addresses);
	free(p->lists);
	free(p->aranges);
	free(p->dirs);
	free(p->files);
	free(p);
	free(d);
}

/* ---- abbreviations ---- */

static bool same_abbrev(const struct dw_abbrev *a, const struct dw_abbrev *b)
{
	if (a->tag != b->tag || a->children != b->children || a->n != b->n)
		return false;
	for (unsigned i = 0; i < a->n; i++)
		if (a->attributes[i].at != b->attributes[i].at ||
			a->attributes[i].form != b->attributes[i].form ||
			a->attributes[i].implicit != b->attributes[i].implicit)
			return false;
	return true;
}

static size_t abbrev_code(struct dw_abbrevs *table, const struct dw_abbrev *abbrev)
{
	for (size_t i = 0; i < table->n; i++)
		if (same_abbrev(&table->items[i], abbrev))
			return i + 1;
	ew_grow(&table->items, &table->cap, table->n + 1, sizeof(*table->items));
	table->items[table->n++] = *abbrev;
	return table->n;
}

static uint64_t write_abbrevs(struct dw *d, struct dw_abbrevs *table)
{
	struct ew_section *s = ew_debug(d->elf, ".debug_abbrev");
	uint64_t start = s->len;

	for (size_t i = 0; i < table->n; i++) {
		const struct dw_abbrev *a = &table->items[i];

		ew_uleb(s, i + 1);
		ew_uleb(s, a->tag);
		ew_u(s, 1, a->children);
		for (unsigned k = 0; k < a->n; k++) {
			ew_uleb(s, a->attributes[k].at);
			ew_uleb(s, a->attributes[k].form);
			if (a->attributes[k].form == DW_FORM_implicit_const)
				ew_sleb(s, a->attributes[k].implicit);
		}
		ew_u(s, 2, 0);
	}
	ew_u(s, 1, 0);
	return start;
}

void dw_attribute(struct dw *d, uint32_t at, uint32_t form, int64_t implicit)
{
	struct dw_frame *frame = dw_frame(d);
	struct dw_abbrev *a = &frame->abbrev;

	if (frame->closed_head || a->n == DW_MAX_ATTRIBUTES)
		ew_die("dwarfwriter: an attribute behind a child, or too many");
	a->attributes[a->n].at = at;
	a->attributes[a->n].form = form;
	a->attributes[a->n++].implicit = form == DW_FORM_implicit_const ? implicit : 0;
}

/* ---- DIEs ---- */

static void add_base(struct dw *d, struct dw_base *base, bool wanted, uint32_t at)
{
	base->wanted = wanted;
	if (!wanted || d->style.no_bases)
		return;
	dw_attribute(d, at, DW_FORM_sec_offset, 0);
	base->at = d->info->len;
	ew_u(d->info, dw_offset_size(d), 0);
}

static void add_bases(struct dw *d)
{
	struct dw_private *p = d->priv;
	const struct dw_style *style = &d->style;
	uint32_t s = style->string_form, a = style->address_form;

	add_base(d, &p->str_offsets,
		s == DW_FORM_strx || (s >= DW_FORM_strx1 && s <= DW_FORM_strx4),
		DW_AT_str_offsets_base);
	add_base(d, &p->addr,
		a == DW_FORM_addrx || (a >= DW_FORM_addrx1 && a <= DW_FORM_addrx4) ||
			style->ranges >= DW_RANGES_INDEX,
		DW_AT_addr_base);
	add_base(d, &p->rnglists, style->ranges_form == DW_FORM_rnglistx, DW_AT_rnglists_base);
}

/* Once it is known whether there are children. */
static void close_head(struct dw *d, struct dw_frame *frame, bool children)
{
	bool shared = d->priv->unit_style.shared_abbrevs;
	bool wide = d->priv->unit_style.wide_codes;
	size_t code;

	if (frame->closed_head)
		return;
	if (dw_at_root(d) && !d->style.bases_first)
		add_bases(d);
	if (children && d->style.siblings && !dw_at_root(d)) {
		dw_attribute(d, DW_AT_sibling, DW_FORM_ref4, 0);
		frame->sibling = d->info->len;
		ew_u(d->info, 4, 0);
	}
	frame->closed_head = true;
	frame->abbrev.children = children;
	code = abbrev_code(
		shared ? &d->priv->shared_abbrevs : &d->priv->unit_abbrevs, &frame->abbrev);
	if (code > 127)
		ew_die("dwarfwriter: more than 127 abbreviations in a table");
	ew_patch(d->info, frame->start, 1, code | (wide ? 0x80 : 0));
	if (wide)
		ew_patch(d->info, frame->start + 1, 1, 0x80);
}

void dw_open(struct dw *d, uint32_t tag)
{
	struct dw_private *p = d->priv;
	struct dw_frame *frame;

	if (p->depth)
		close_head(d, dw_frame(d), true);
	if (p->depth == DW_MAX_DEPTH)
		ew_die("dwarfwriter: more than %d DIEs in each other", DW_MAX_DEPTH);
	frame = &p->frames[p->depth++];
	memset(frame, 0, sizeof(*frame));
	frame->start = d->info->len;
	frame->abbrev.tag = tag;
	ew_zeros(d->info, p->unit_style.wide_codes ? 3 : 1);
}

bool dw_inside(struct dw *d)
{
	struct dw_frame *frame = dw_frame(d);

	if (!frame->entered)
		return frame->entered = true;
	close_head(d, frame, false);
	if (frame->abbrev.children)
		ew_u(d->info, 1, 0);
	if (frame->sibling)
		ew_patch(d->info, frame->sibling, 4, d->info->len - d->unit);
	d->priv->depth--;
	return false;
}

/* ---- units ---- */

void dw_signature(struct dw *d, uint64_t signature)
{
	d->priv->signature = signature;
}

static void unit_header(struct dw *d, uint8_t type)
{
	struct dw_private *p = d->priv;
	struct ew_section *s = d->info;
	unsigned size = dw_offset_size(d);
	bool v5 = d->style.version >= 5;

	ew_u(s, 2, d->style.version);
	if (v5) {
		ew_u(s, 1, type);
		ew_u(s, 1, dw_word(d));
	}
	ew_u(s, size, 0); /* of the abbreviations: known at the end */
	if (!v5)
		ew_u(s, 1, dw_word(d));
	if (type == DW_UT_type || (v5 && type == DW_UT_skeleton))
		ew_u(s, 8, p->signature);
	if (type == DW_UT_type) {
		p->type_offset_at = s->len;
		ew_u(s, size, 0);
	}
}

void dw_unit_open(struct dw *d, uint8_t type)
{
	static const uint32_t tags[] = {[DW_UT_compile] = DW_TAG_compile_unit,
		[DW_UT_partial] = DW_TAG_partial_unit,
		[DW_UT_type] = DW_TAG_type_unit,
		[DW_UT_skeleton] = DW_TAG_skeleton_unit};
	struct dw_private *p = d->priv;

	if (p->depth)
		ew_die("dwarfwriter: a unit in a unit");
	if (!d->style.version)
		d->style.version = 4;
	p->unit_style = d->style;
	p->unit_type = type;
	d->info = ew_debug(d->elf,
		type == DW_UT_type && d->style.version < 5 ? ".debug_types" : ".debug_info");
	d->unit = d->info->len;
	dw_length_open(d, d->info);
	unit_header(d, type);
	dw_open(d,
		d->style.version < 5 && type == DW_UT_skeleton ? DW_TAG_compile_unit : tags[type]);
	if (d->style.bases_first)
		add_bases(d);
}

static void end_unit(struct dw *d)
{
	struct dw_private *p = d->priv;
	unsigned size = dw_offset_size(d);
	size_t length_at = d->unit + (size == 8 ? 4 : 0);
	size_t abbrev_at = length_at + size + (d->style.version >= 5 ? 4 : 2);
	struct ew_section *abbrev = ew_debug(d->elf, ".debug_abbrev");

	dw_length_close(d, d->info, length_at);
	if (p->unit_style.shared_abbrevs) {
		ew_grow(&p->shared_users, &p->shared_users_cap, p->nshared_users + 1,
			sizeof(*p->shared_users));
		p->shared_users[p->nshared_users].section = d->info;
		p->shared_users[p->nshared_users].at = abbrev_at;
		p->shared_users[p->nshared_users++].size = size;
	} else {
		ew_patch_ref(d->info, abbrev_at, size, abbrev, write_abbrevs(d, &p->unit_abbrevs));
		p->unit_abbrevs.n = 0;
	}
	dw_pools_write(d);
}

bool dw_unit_inside(struct dw *d)
{
	if (dw_inside(d))
		return true;
	end_unit(d);
	return false;
}

/* ---- labels ---- */

void dw_label(struct dw *d, const char *label)
{
	struct dw_private *p = d->priv;

	ew_grow(&p->places, &p->places_cap, p->nplaces + 1, sizeof(*p->places));
	p->places[p->nplaces++] = (struct dw_place){
		.label = ew_strdup(label), .section = d->info, .offset = dw_frame(d)->start};
	if (p->type_offset_at && p->unit_type == DW_UT_type && p->depth == 2) {
		ew_patch(d->info, p->type_offset_at, dw_offset_size(d),
			dw_frame(d)->start - d->unit);
		p->type_offset_at = 0;
	}
}

static const struct dw_place *find_place(const struct dw *d, const char *label)
{
	for (size_t i = 0; i < d->priv->nplaces; i++)
		if (!strcmp(d->priv->places[i].label, label))
			return &d->priv->places[i];
	ew_die("dwarfwriter: nothing is labelled '%s'", label);
}

uint64_t dw_offset(const struct dw *d, const char *label)
{
	return find_place(d, label)->offset;
}

static void fill_in(struct dw *d, const struct dw_wait *w)
{
	const struct dw_place *place = find_place(d, w->label);
	uint64_t value = place->offset - w->unit;

	if (w->form == DW_FORM_ref_addr) {
		ew_patch_ref(w->section, w->at, w->size, place->section, place->offset);
	} else if (w->form == DW_FORM_ref_udata) {
		for (unsigned i = 0; i < w->size; i++)
			ew_patch(w->section, w->at + i, 1,
				(value >> 7 * i & 0x7f) | (i + 1 < w->size ? 0x80 : 0));
	} else {
		if (place->offset < w->unit || (w->size < 8 && value >> 8 * w->size))
			ew_die("dwarfwriter: form %#x doesn't reach '%s'", w->form, w->label);
		ew_patch(w->section, w->at, w->size, value);
	}
}

void dw_finish(struct dw *d)
{
	struct dw_private *p = d->priv;
	struct ew_section *abbrev = ew_debug(d->elf, ".debug_abbrev");

	if (p->depth)
		ew_die("dwarfwriter: a unit isn't finished");
	for (size_t i = 0; i < p->nwaits; i++)
		fill_in(d, &p->waits[i]);
	if (p->nshared_users) {
		uint64_t at = write_abbrevs(d, &p->shared_abbrevs);

		for (size_t i = 0; i < p->nshared_users; i++)
			ew_patch_ref(p->shared_users[i].section, p->shared_users[i].at,
				p->shared_users[i].size, abbrev, at);
	}
}
