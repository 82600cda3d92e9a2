/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dwarf.h>

#include "dwarf_die.h"

static uint64_t read_u24(struct dwarf_bytes *b)
{
	const uint8_t *p = b->p;

	if (b->end - p < 3) {
		b->bad = true;
		b->p = b->end;
		return 0;
	}
	b->p += 3;
	if (b->swap != sm_host_big_endian())
		return (uint64_t)p[0] << 16 | (uint64_t)p[1] << 8 | p[2];
	return (uint64_t)p[2] << 16 | (uint64_t)p[1] << 8 | p[0];
}

static const uint8_t *take(struct dwarf_bytes *b, uint64_t len)
{
	const uint8_t *p = b->p;

	if ((uint64_t)(b->end - p) < len) {
		b->bad = true;
		b->p = b->end;
		return NULL;
	}
	b->p += len;
	return p;
}

/* Longer ones are elsewhere, in .debug_str: else each of many DIEs could claim the whole unit. */
#define INLINE_STRING_MOST ((size_t)256 << 10)

static const char *take_string(struct dwarf_bytes *b)
{
	const uint8_t *p = b->p;
	size_t left = (size_t)(b->end - p);
	const uint8_t *nul =
		left ? memchr(p, 0, left < INLINE_STRING_MOST ? left : INLINE_STRING_MOST) : NULL;

	if (!nul) {
		b->bad = true;
		b->p = b->end;
		return NULL;
	}
	b->p = nul + 1;
	return (const char *)p;
}

const char *sm_dwarf_string(const struct dwarf_section *section, uint64_t offset)
{
	const char *s;

	if (!section->data || offset >= section->len)
		return NULL;
	s = (const char *)section->data + offset;
	/* sm_dwarf_open() cuts string sections so that they end in one. */
	if (section->data[section->len - 1] && !memchr(s, 0, section->len - (size_t)offset))
		return NULL;
	return s;
}

/* Element `index` of a table of `size` bytes each. */
static bool table_entry(const struct dwarf_section *section, uint64_t base, uint64_t index,
	unsigned size, bool swap, uint64_t *v)
{
	struct dwarf_bytes b = {.swap = swap};

	if (!section->data || base > section->len || index >= (section->len - base) / size)
		return false;
	b.p = section->data + base + index * size;
	b.end = section->data + section->len;
	*v = dwarf_u(&b, size);
	return !b.bad;
}

bool sm_dwarf_addrx(const struct dwarf_unit *u, uint64_t index, uint64_t *addr)
{
	return table_entry(&u->file->addr, u->addr_base, index, u->addr_size, u->file->swap, addr);
}

static void read_addrx(const struct dwarf_unit *u, uint64_t index, struct dwarf_value *v)
{
	v->kind = sm_dwarf_addrx(u, index, &v->u) ? DWARF_ADDRESS : DWARF_OTHER;
}

static void read_strx(const struct dwarf_unit *u, uint64_t index, struct dwarf_value *v)
{
	uint64_t offset;

	v->kind = DWARF_STRING;
	if (table_entry(&u->file->str_offsets, u->str_offsets_base, index, u->offset_size,
		    u->file->swap, &offset))
		v->s = sm_dwarf_string(&u->file->str, offset);
}

static void read_rnglistx(const struct dwarf_unit *u, uint64_t index, struct dwarf_value *v)
{
	uint64_t offset;

	v->kind = DWARF_OTHER;
	if (table_entry(&u->file->rnglists, u->rnglists_base, index, u->offset_size, u->file->swap,
		    &offset)) {
		v->kind = DWARF_OFFSET;
		v->u = u->rnglists_base + offset;
	}
}

static uint64_t own_file(const struct dwarf *d, const struct dwarf_unit *u)
{
	return u->file == &d->alt ? DWARF_ALT : 0;
}

/* In its own unit */
static void read_ref(
	const struct dwarf *d, const struct dwarf_unit *u, uint64_t offset, struct dwarf_value *v)
{
	v->kind = DWARF_OTHER;
	if (offset < u->end - u->offset) {
		v->kind = DWARF_REFERENCE;
		v->u = (u->offset + offset) | own_file(d, u);
	}
}

/* `file`: what the offset gets to say which file it is in. */
static void read_ref_any(uint64_t offset, uint64_t file, struct dwarf_value *v)
{
	v->kind = offset < DWARF_ALT ? DWARF_REFERENCE : DWARF_OTHER;
	v->u = offset | file;
}

static void read_ref_alt(
	const struct dwarf *d, const struct dwarf_unit *u, uint64_t offset, struct dwarf_value *v)
{
	v->kind = DWARF_OTHER;
	if (u->file != &d->alt && d->alt.obj)
		read_ref_any(offset, DWARF_ALT, v);
}

static void read_constant(uint64_t u, enum dwarf_kind kind, struct dwarf_value *v)
{
	v->kind = kind;
	v->u = u;
}

static void read_block(struct dwarf_bytes *b, uint64_t len, struct dwarf_value *v)
{
	v->kind = DWARF_BLOCK;
	v->block = take(b, len);
	v->block_len = v->block ? (size_t)len : 0;
}

static void read_strp(const struct dwarf_section *section, uint64_t offset, struct dwarf_value *v)
{
	v->kind = DWARF_STRING;
	v->s = sm_dwarf_string(section, offset);
}

/* DW_FORM_indirect may not name itself or implicit_const, which has its value elsewhere. */
static uint32_t indirect(struct dwarf_bytes *b)
{
	uint64_t form = dwarf_uleb(b);

	if (form == DW_FORM_indirect || form == DW_FORM_implicit_const || form > UINT16_MAX) {
		b->bad = true;
		return 0;
	}
	return (uint32_t)form;
}

static unsigned ref_addr_size(const struct dwarf_unit *u)
{
	return u->version == 2 ? u->addr_size : u->offset_size;
}

void sm_dwarf_form_read(const struct dwarf *d, const struct dwarf_unit *u, struct dwarf_bytes *b,
	uint32_t form, int64_t implicit, struct dwarf_value *v)
{
	*v = (struct dwarf_value){.kind = DWARF_OTHER};
	if (form == DW_FORM_indirect)
		form = indirect(b);
	switch (form) {
	case DW_FORM_addr:
		return read_constant(dwarf_u(b, u->addr_size), DWARF_ADDRESS, v);
	case DW_FORM_addrx:
	case DW_FORM_GNU_addr_index:
		return read_addrx(u, dwarf_uleb(b), v);
	case DW_FORM_addrx1:
		return read_addrx(u, dwarf_u(b, 1), v);
	case DW_FORM_addrx2:
		return read_addrx(u, dwarf_u(b, 2), v);
	case DW_FORM_addrx3:
		return read_addrx(u, read_u24(b), v);
	case DW_FORM_addrx4:
		return read_addrx(u, dwarf_u(b, 4), v);

	case DW_FORM_data1:
		return read_constant(dwarf_u(b, 1), DWARF_CONSTANT, v);
	case DW_FORM_data2:
		return read_constant(dwarf_u(b, 2), DWARF_CONSTANT, v);
	case DW_FORM_data4:
		return read_constant(dwarf_u(b, 4), DWARF_CONSTANT, v);
	case DW_FORM_data8:
		return read_constant(dwarf_u(b, 8), DWARF_CONSTANT, v);
	case DW_FORM_udata:
		return read_constant(dwarf_uleb(b), DWARF_CONSTANT, v);
	case DW_FORM_sdata:
		return read_constant((uint64_t)dwarf_sleb(b), DWARF_CONSTANT, v);
	case DW_FORM_implicit_const:
		return read_constant((uint64_t)implicit, DWARF_CONSTANT, v);
	case DW_FORM_data16:
		return read_block(b, 16, v);

	case DW_FORM_flag:
		return read_constant(dwarf_u(b, 1), DWARF_FLAG, v);
	case DW_FORM_flag_present:
		return read_constant(1, DWARF_FLAG, v);

	case DW_FORM_block1:
		return read_block(b, dwarf_u(b, 1), v);
	case DW_FORM_block2:
		return read_block(b, dwarf_u(b, 2), v);
	case DW_FORM_block4:
		return read_block(b, dwarf_u(b, 4), v);
	case DW_FORM_block:
	case DW_FORM_exprloc:
		return read_block(b, dwarf_uleb(b), v);

	case DW_FORM_string:
		v->kind = DWARF_STRING;
		v->s = take_string(b);
		return;
	case DW_FORM_strp:
		return read_strp(&u->file->str, dwarf_u(b, u->offset_size), v);
	case DW_FORM_line_strp:
		return read_strp(&u->file->line_str, dwarf_u(b, u->offset_size), v);
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
		return read_strp(&d->alt.str, dwarf_u(b, u->offset_size), v);
	case DW_FORM_strx:
	case DW_FORM_GNU_str_index:
		return read_strx(u, dwarf_uleb(b), v);
	case DW_FORM_strx1:
		return read_strx(u, dwarf_u(b, 1), v);
	case DW_FORM_strx2:
		return read_strx(u, dwarf_u(b, 2), v);
	case DW_FORM_strx3:
		return read_strx(u, read_u24(b), v);
	case DW_FORM_strx4:
		return read_strx(u, dwarf_u(b, 4), v);

	case DW_FORM_ref1:
		return read_ref(d, u, dwarf_u(b, 1), v);
	case DW_FORM_ref2:
		return read_ref(d, u, dwarf_u(b, 2), v);
	case DW_FORM_ref4:
		return read_ref(d, u, dwarf_u(b, 4), v);
	case DW_FORM_ref8:
		return read_ref(d, u, dwarf_u(b, 8), v);
	case DW_FORM_ref_udata:
		return read_ref(d, u, dwarf_uleb(b), v);
	case DW_FORM_ref_addr:
		return read_ref_any(dwarf_u(b, ref_addr_size(u)), own_file(d, u), v);
	case DW_FORM_ref_sup4:
		return read_ref_alt(d, u, dwarf_u(b, 4), v);
	case DW_FORM_ref_sup8:
		return read_ref_alt(d, u, dwarf_u(b, 8), v);
	case DW_FORM_GNU_ref_alt:
		return read_ref_alt(d, u, dwarf_u(b, u->offset_size), v);

	case DW_FORM_sec_offset:
		return read_constant(dwarf_u(b, u->offset_size), DWARF_OFFSET, v);
	case DW_FORM_rnglistx:
		return read_rnglistx(u, dwarf_uleb(b), v);
	case DW_FORM_loclistx:
		dwarf_uleb(b);
		return;
	case DW_FORM_ref_sig8:
		dwarf_u(b, 8);
		return;
	default:
		b->bad = true;
	}
}

int sm_dwarf_form_size(const struct dwarf_unit *u, uint64_t form)
{
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		return 0;
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
		return u->addr_size;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_sec_offset:
		return u->offset_size;
	case DW_FORM_ref_addr:
		return (int)ref_addr_size(u);
	case DW_FORM_string:
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
	case DW_FORM_block:
	case DW_FORM_exprloc:
	case DW_FORM_udata:
	case DW_FORM_sdata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_rnglistx:
	case DW_FORM_loclistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
	case DW_FORM_indirect:
		return FORM_VARIES;
	default:
		return FORM_UNKNOWN;
	}
}

void sm_dwarf_form_skip(const struct dwarf_unit *u, struct dwarf_bytes *b, uint32_t form)
{
	int size;

	if (form == DW_FORM_indirect)
		form = indirect(b);
	size = sm_dwarf_form_size(u, form);
	if (size >= 0) {
		take(b, (uint64_t)size);
		return;
	}
	switch (form) {
	case DW_FORM_string:
		take_string(b);
		return;
	case DW_FORM_block1:
		take(b, dwarf_u(b, 1));
		return;
	case DW_FORM_block2:
		take(b, dwarf_u(b, 2));
		return;
	case DW_FORM_block4:
		take(b, dwarf_u(b, 4));
		return;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		take(b, dwarf_uleb(b));
		return;
	default:
		if (size == FORM_VARIES)
			dwarf_uleb(b);
		else
			b->bad = true;
	}
}
