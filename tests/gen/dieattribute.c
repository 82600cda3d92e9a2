// SPDX-License-Identifier: GPL-2.0-or-later
/* dieattribute: the forms of dwarfwriter. */
#include "dwarfpool.h"

#include <string.h>

/* ---- numbers ---- */

static unsigned fixed_size(const struct dw *d, uint32_t form)
{
	switch (form) {
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		return 2;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		return 3;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
	case DW_FORM_ref_sup4:
		return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8:
		return 8;
	case DW_FORM_data16:
		return 16;
	case DW_FORM_addr:
		return dw_word(d);
	case DW_FORM_sec_offset:
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
	case DW_FORM_GNU_ref_alt:
		return dw_offset_size(d);
	case DW_FORM_ref_addr:
		return d->style.version < 3 ? dw_word(d) : dw_offset_size(d);
	}
	return 0;
}

static void put_number(struct dw *d, uint32_t form, uint64_t value)
{
	struct ew_section *s = d->info;
	unsigned size = fixed_size(d, form);

	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		return;
	case DW_FORM_sdata:
		ew_sleb(s, (int64_t)value);
		return;
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_rnglistx:
	case DW_FORM_loclistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		ew_uleb(s, value);
		return;
	}
	if (!size)
		ew_die("dwarfwriter: form %#x holds no number", form);
	ew_u(s, size, value);
}

void dw_number(struct dw *d, uint32_t at, uint32_t form, uint64_t value)
{
	if (d->style.version < 4 && form == DW_FORM_sec_offset)
		form = d->style.dwarf64 ? DW_FORM_data8 : DW_FORM_data4;
	dw_attribute(d, at, form, (int64_t)value);
	put_number(d, form, value);
}

void dw_indirect(struct dw *d, uint32_t at, uint32_t form, uint64_t value)
{
	dw_attribute(d, at, DW_FORM_indirect, 0);
	ew_uleb(d->info, form);
	if (form == DW_FORM_implicit_const)
		ew_die("dwarfwriter: no indirect implicit_const");
	put_number(d, form, value);
}

void dw_flag(struct dw *d, uint32_t at)
{
	dw_number(d, at, d->style.version < 4 ? DW_FORM_flag : DW_FORM_flag_present, 1);
}

void dw_block(struct dw *d, uint32_t at, uint32_t form, const void *data, size_t len)
{
	if (form == DW_FORM_exprloc && d->style.version < 4)
		form = DW_FORM_block1;
	dw_attribute(d, at, form, 0);
	switch (form) {
	case DW_FORM_block1:
		ew_u(d->info, 1, len);
		break;
	case DW_FORM_block2:
		ew_u(d->info, 2, len);
		break;
	case DW_FORM_block4:
		ew_u(d->info, 4, len);
		break;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		ew_uleb(d->info, len);
		break;
	case DW_FORM_data16:
		if (len == 16)
			break;
		/* fall through */
	default:
		ew_die("dwarfwriter: form %#x is no block", form);
	}
	ew_put(d->info, data, len);
}

/* ---- text ---- */

uint64_t dw_text(struct dw *d, const char *section, const char *text)
{
	struct ew_section *s = ew_debug(d->elf, section);
	size_t size = strlen(text) + 1;

	for (size_t at = 0; at + size <= s->len; at++)
		if (!memcmp(s->data + at, text, size)) /* a longer text's end will do */
			return at;
	ew_string(s, text);
	return s->len - size;
}

void dw_string_as(struct dw *d, uint32_t at, uint32_t form, const char *text)
{
	bool pooled = form == DW_FORM_strx || (form >= DW_FORM_strx1 && form <= DW_FORM_strx4);
	const char *section = form == DW_FORM_line_strp ? ".debug_line_str" : ".debug_str";

	dw_attribute(d, at, form, 0);
	if (form == DW_FORM_string)
		ew_string(d->info, text);
	else if (pooled)
		put_number(d, form, dw_pool_string(d, text));
	else if (form == DW_FORM_strp || form == DW_FORM_line_strp)
		ew_ref(d->info, dw_offset_size(d), ew_debug(d->elf, section),
			dw_text(d, section, text));
	else
		ew_die("dwarfwriter: form %#x is no text", form);
}

void dw_string(struct dw *d, uint32_t at, const char *text)
{
	dw_string_as(d, at, d->style.string_form ? d->style.string_form : DW_FORM_string, text);
}

void dw_name(struct dw *d, const char *name)
{
	dw_string(d, DW_AT_name, name);
}

void dw_string_sup(struct dw *d, uint32_t at, uint32_t form, struct dw *sup, const char *text)
{
	dw_number(d, at, form, dw_text(sup, ".debug_str", text));
}

/* ---- addresses ---- */

void dw_address_as(
	struct dw *d, uint32_t at, uint32_t form, const struct ew_section *section, uint64_t offset)
{
	dw_attribute(d, at, form, 0);
	if (at == DW_AT_low_pc && section && dw_at_root(d)) {
		d->priv->has_low_pc = true;
		d->priv->low_pc = (struct dw_address){section, offset};
	}
	if (form == DW_FORM_addr)
		ew_ref(d->info, dw_word(d), section, offset);
	else
		put_number(d, form, dw_pool_address(d, section, offset));
}

void dw_address(struct dw *d, uint32_t at, const struct ew_section *section, uint64_t offset)
{
	dw_address_as(d, at, d->style.address_form ? d->style.address_form : DW_FORM_addr, section,
		offset);
}

void dw_code(struct dw *d, const struct ew_section *section, uint64_t start, uint64_t end)
{
	uint32_t form = d->style.high_pc_form;

	if (!form)
		form = d->style.version < 4 ? DW_FORM_addr : DW_FORM_udata;
	dw_address(d, DW_AT_low_pc, section, start);
	if (form == DW_FORM_addr)
		dw_address(d, DW_AT_high_pc, section, end);
	else
		dw_number(d, DW_AT_high_pc, form, end - start);
	if (dw_at_root(d) && d->style.aranges)
		dw_arange(d, section, start, end);
}

/* ---- references ---- */

void dw_ref_as(struct dw *d, uint32_t at, uint32_t form, const char *label)
{
	struct dw_private *p = d->priv;
	unsigned size = form == DW_FORM_ref_udata ? 4 : fixed_size(d, form);

	dw_attribute(d, at, form, 0);
	ew_grow(&p->waits, &p->waits_cap, p->nwaits + 1, sizeof(*p->waits));
	p->waits[p->nwaits++] = (struct dw_wait){.section = d->info,
		.at = d->info->len,
		.unit = d->unit,
		.form = form,
		.size = size,
		.label = ew_strdup(label)};
	ew_zeros(d->info, size);
}

void dw_ref(struct dw *d, uint32_t at, const char *label)
{
	dw_ref_as(d, at, d->style.ref_form ? d->style.ref_form : DW_FORM_ref4, label);
}

void dw_origin(struct dw *d, const char *label)
{
	dw_ref(d, DW_AT_abstract_origin, label);
}

void dw_ref_sup(struct dw *d, uint32_t at, uint32_t form, struct dw *sup, const char *label)
{
	dw_number(d, at, form, dw_offset(sup, label));
}

void dw_call(struct dw *d, uint64_t file, uint64_t line)
{
	dw_number(d, DW_AT_call_file, DW_FORM_udata, file);
	dw_number(d, DW_AT_call_line, DW_FORM_udata, line);
}
