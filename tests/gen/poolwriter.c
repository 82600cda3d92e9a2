// SPDX-License-Identifier: GPL-2.0-or-later
/* poolwriter: what stands in sections of its own beside a unit: ranges, addresses, strings'
 * offsets, .debug_aranges. */
#include "dwarfpool.h"

#include <stdlib.h>
#include <string.h>

uint64_t dw_pool_string(struct dw *d, const char *text)
{
	struct dw_private *p = d->priv;
	uint64_t offset = dw_text(d, ".debug_str", text);

	for (size_t i = 0; i < p->nstrings; i++)
		if (p->strings[i] == offset)
			return i;
	ew_grow(&p->strings, &p->strings_cap, p->nstrings + 1, sizeof(*p->strings));
	p->strings[p->nstrings] = offset;
	return p->nstrings++;
}

uint64_t dw_pool_address(struct dw *d, const struct ew_section *section, uint64_t offset)
{
	struct dw_private *p = d->priv;

	for (size_t i = 0; i < p->naddresses; i++)
		if (p->addresses[i].section == section && p->addresses[i].offset == offset)
			return i;
	ew_grow(&p->addresses, &p->addresses_cap, p->naddresses + 1, sizeof(*p->addresses));
	p->addresses[p->naddresses] = (struct dw_address){section, offset};
	return p->naddresses++;
}

void dw_arange(struct dw *d, const struct ew_section *section, uint64_t start, uint64_t end)
{
	struct dw_private *p = d->priv;

	ew_grow(&p->aranges, &p->aranges_cap, p->naranges + 1, sizeof(*p->aranges));
	p->aranges[p->naranges++] = (struct dw_range){section, start, end};
}

/* ---- lists of ranges ---- */

void dw_range_list(struct dw *d, size_t n, const struct dw_entry *entries)
{
	struct dw_private *p = d->priv;
	uint32_t form = d->style.ranges_form ? d->style.ranges_form : DW_FORM_sec_offset;
	struct dw_list *list;

	ew_grow(&p->lists, &p->lists_cap, p->nlists + 1, sizeof(*p->lists));
	dw_number(d, DW_AT_ranges, form, p->nlists);
	list = &p->lists[p->nlists++];
	memset(list, 0, sizeof(*list));
	list->n = n;
	list->entries = ew_alloc(n * sizeof(*entries));
	memcpy(list->entries, entries, n * sizeof(*entries));
	if (form != DW_FORM_rnglistx) {
		list->section = d->info;
		list->at = d->info->len - dw_offset_size(d);
	}
	/* Indexes are given now: the numbers of .debug_addr depend on nothing. */
	for (size_t i = 0; d->style.version >= 5 && i < n; i++) {
		struct dw_entry *e = &list->entries[i];

		if (e->kind == DW_RLE_startx_endx)
			e->b = dw_pool_address(d, e->section, e->b);
		if (e->kind == DW_RLE_startx_endx || e->kind == DW_RLE_startx_length ||
			e->kind == DW_RLE_base_addressx)
			e->a = dw_pool_address(d, e->section, e->a);
	}
}

static uint64_t unit_distance(const struct dw *d, const struct dw_range *r, uint64_t offset)
{
	const struct dw_address *low = &d->priv->low_pc;

	if (!d->priv->has_low_pc)
		return d->elf->type == ET_REL ? offset : r->section->addr + offset;
	return r->section->addr + offset - (low->section->addr + low->offset);
}

void dw_ranges(struct dw *d, size_t n, const struct dw_range *ranges)
{
	static const uint8_t kinds[] = {
		[DW_RANGES_ADDRESSES] = DW_RLE_start_end,
		[DW_RANGES_LENGTHS] = DW_RLE_start_length,
		[DW_RANGES_BASE] = DW_RLE_offset_pair,
		[DW_RANGES_UNIT] = DW_RLE_offset_pair,
		[DW_RANGES_INDEX] = DW_RLE_startx_endx,
		[DW_RANGES_INDEX_LENGTH] = DW_RLE_startx_length,
		[DW_RANGES_INDEX_BASE] = DW_RLE_offset_pair,
	};
	enum dw_range_style style = d->style.ranges;
	bool lengths = style == DW_RANGES_LENGTHS || style == DW_RANGES_INDEX_LENGTH;
	struct dw_entry *entries = ew_alloc((2 * n + 1) * sizeof(*entries));
	size_t k = 0;

	if (d->style.version < 5 && style != DW_RANGES_BASE && style != DW_RANGES_UNIT) {
		style = DW_RANGES_ADDRESSES;
		lengths = false;
		if (d->priv->has_low_pc)
			entries[k++] = (struct dw_entry){.kind = DW_RLE_base_address};
	}
	for (size_t i = 0; i < n; i++) {
		const struct dw_range *r = &ranges[i];
		struct dw_entry *e;

		if (style == DW_RANGES_BASE || style == DW_RANGES_INDEX_BASE)
			entries[k++] =
				(struct dw_entry){style == DW_RANGES_BASE ? DW_RLE_base_address
									  : DW_RLE_base_addressx,
					r->section, 0, 0};
		e = &entries[k++];
		*e = (struct dw_entry){kinds[style], r->section, r->start, r->end};
		if (lengths)
			e->b -= r->start;
		if (style == DW_RANGES_UNIT) {
			e->a = unit_distance(d, r, r->start);
			e->b = unit_distance(d, r, r->end);
		}
		if (dw_at_root(d) && d->style.aranges)
			dw_arange(d, r->section, r->start, r->end);
	}
	dw_range_list(d, k, entries);
	free(entries);
}

static void write_entry(struct dw *d, struct ew_section *s, const struct dw_entry *e)
{
	unsigned word = dw_word(d);

	ew_u(s, 1, e->kind);
	switch (e->kind) {
	case DW_RLE_startx_endx:
	case DW_RLE_startx_length:
	case DW_RLE_offset_pair:
		ew_uleb(s, e->a);
		ew_uleb(s, e->b);
		break;
	case DW_RLE_base_addressx:
		ew_uleb(s, e->a);
		break;
	case DW_RLE_base_address:
		ew_ref(s, word, e->section, e->a);
		break;
	case DW_RLE_start_end:
		ew_ref(s, word, e->section, e->a);
		ew_ref(s, word, e->section, e->b);
		break;
	case DW_RLE_start_length:
		ew_ref(s, word, e->section, e->a);
		ew_uleb(s, e->b);
		break;
	}
}

static void write_old_entry(struct dw *d, struct ew_section *s, const struct dw_entry *e)
{
	unsigned word = dw_word(d);

	switch (e->kind) {
	case DW_RLE_base_address:
		ew_u(s, word, ~UINT64_C(0));
		ew_ref(s, word, e->section, e->a);
		break;
	case DW_RLE_offset_pair:
		ew_u(s, word, e->a);
		ew_u(s, word, e->b);
		break;
	case DW_RLE_start_end:
		ew_ref(s, word, e->section, e->a);
		ew_ref(s, word, e->section, e->b);
		break;
	default:
		ew_die("dwarfwriter: .debug_ranges has no entry of kind %u", e->kind);
	}
}

static void write_old_lists(struct dw *d)
{
	struct ew_section *s = ew_debug(d->elf, ".debug_ranges");

	for (size_t i = 0; i < d->priv->nlists; i++) {
		const struct dw_list *list = &d->priv->lists[i];

		ew_patch_ref(list->section, list->at, dw_offset_size(d), s, s->len);
		for (size_t k = 0; k < list->n; k++)
			write_old_entry(d, s, &list->entries[k]);
		ew_zeros(s, 2 * dw_word(d));
	}
}

static void patch_base(
	struct dw *d, const struct dw_base *base, const struct ew_section *s, uint64_t offset)
{
	if (base->at)
		ew_patch_ref(d->info, base->at, dw_offset_size(d), s, offset);
}

static void write_lists(struct dw *d)
{
	struct dw_private *p = d->priv;
	struct ew_section *s = ew_debug(d->elf, ".debug_rnglists");
	size_t length_at = dw_length_open(d, s), base;
	unsigned size = dw_offset_size(d);
	bool indexed = p->rnglists.wanted;

	ew_u(s, 2, 5);
	ew_u(s, 1, dw_word(d));
	ew_u(s, 1, 0);
	ew_u(s, 4, indexed ? p->nlists : 0);
	base = s->len;
	patch_base(d, &p->rnglists, s, base);
	ew_zeros(s, indexed ? p->nlists * size : 0);
	for (size_t i = 0; i < p->nlists; i++) {
		const struct dw_list *list = &p->lists[i];

		if (list->section)
			ew_patch_ref(list->section, list->at, size, s, s->len);
		if (indexed)
			ew_patch(s, base + i * size, size, s->len - base);
		for (size_t k = 0; k < list->n; k++)
			write_entry(d, s, &list->entries[k]);
		ew_u(s, 1, DW_RLE_end_of_list);
	}
	dw_length_close(d, s, length_at);
}

/* ---- the other pools ---- */

static void write_addresses(struct dw *d)
{
	struct ew_section *s = ew_debug(d->elf, ".debug_addr");
	size_t length_at = dw_length_open(d, s);

	ew_u(s, 2, 5);
	ew_u(s, 1, dw_word(d));
	ew_u(s, 1, 0);
	patch_base(d, &d->priv->addr, s, s->len);
	for (size_t i = 0; i < d->priv->naddresses; i++)
		ew_ref(s, dw_word(d), d->priv->addresses[i].section, d->priv->addresses[i].offset);
	dw_length_close(d, s, length_at);
}

static void write_str_offsets(struct dw *d)
{
	struct ew_section *s = ew_debug(d->elf, ".debug_str_offsets");
	struct ew_section *str = ew_debug(d->elf, ".debug_str");
	size_t length_at = dw_length_open(d, s);

	ew_u(s, 2, 5);
	ew_u(s, 2, 0);
	patch_base(d, &d->priv->str_offsets, s, s->len);
	for (size_t i = 0; i < d->priv->nstrings; i++)
		ew_ref(s, dw_offset_size(d), str, d->priv->strings[i]);
	dw_length_close(d, s, length_at);
}

static void write_aranges(struct dw *d)
{
	struct ew_section *s = ew_debug(d->elf, ".debug_aranges");
	size_t start = s->len, length_at = dw_length_open(d, s);
	unsigned word = dw_word(d);

	ew_u(s, 2, 2);
	ew_ref(s, dw_offset_size(d), d->info, d->unit);
	ew_u(s, 1, word);
	ew_u(s, 1, 0);
	/* Tuples lie at a multiple of their size, counted from the header. */
	while ((s->len - start) % (2 * word))
		ew_u(s, 1, 0);
	for (size_t i = 0; i < d->priv->naranges; i++) {
		const struct dw_range *r = &d->priv->aranges[i];

		ew_ref(s, word, r->section, r->start);
		ew_u(s, word, r->end - r->start);
	}
	ew_zeros(s, 2 * word);
	dw_length_close(d, s, length_at);
}

void dw_pools_write(struct dw *d)
{
	struct dw_private *p = d->priv;

	if (p->nlists && d->style.version < 5)
		write_old_lists(d);
	else if (p->nlists || p->rnglists.at)
		write_lists(d);
	if (p->naddresses || p->addr.at)
		write_addresses(d);
	if (p->nstrings || p->str_offsets.at)
		write_str_offsets(d);
	if (p->naranges)
		write_aranges(d);
	for (size_t i = 0; i < p->nlists; i++)
		free(p->lists[i].entries);
	p->nlists = p->naddresses = p->nstrings = p->naranges = 0;
	memset(&p->rnglists, 0, sizeof(p->rnglists));
	memset(&p->addr, 0, sizeof(p->addr));
	memset(&p->str_offsets, 0, sizeof(p->str_offsets));
	p->has_low_pc = false;
}
