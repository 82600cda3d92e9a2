/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of ranges: .debug_ranges of DWARF 3 and 4, .debug_rnglists of DWARF 5. */
#include <dwarf.h>

#include "dwarf_die.h"

bool sm_dwarf_range_add(
	const struct dwarf *d, uint64_t start, uint64_t end, struct dwarf_scopes *out)
{
	/* Code that the linker dropped is at 0 (GNU), or at the top: -1, -2 (LLVM). */
	if (start >= end || start < d->priv->code_start || start >= d->priv->code_end)
		return true;
	if (out->nranges == out->ranges_cap &&
		!sm_grow(&out->ranges, &out->ranges_cap, out->nranges + 1, sizeof(*out->ranges)))
		return false;
	out->ranges[out->nranges++] = (struct dwarf_range){.start = start, .end = end};
	return true;
}

struct list {
	const struct dwarf *d;
	const struct dwarf_unit *u;
	struct dwarf_bytes b;
	uint64_t base, mask;
	bool no_memory;
	bool dropped; /* what is relative to the base is of dropped code */
	struct dwarf_scopes *out;
};

static void set_base(struct list *l, uint64_t base)
{
	l->base = base;
	l->dropped = !base || base >= l->mask - 1;
}

static void add(struct list *l, uint64_t start, uint64_t end)
{
	if (!l->b.bad && !sm_dwarf_range_add(l->d, start, end & l->mask, l->out))
		l->no_memory = true;
}

static void add_relative(struct list *l, uint64_t start, uint64_t end)
{
	if (!l->dropped)
		add(l, (l->base + start) & l->mask, l->base + end);
}

static uint64_t addrx(struct list *l)
{
	uint64_t addr = 0;

	if (!sm_dwarf_addrx(l->u, dwarf_uleb(&l->b), &addr))
		l->b.bad = true;
	return addr;
}

/* False at the end. */
static bool read_rnglist_entry(struct list *l)
{
	unsigned addr_size = l->u->addr_size;
	uint64_t start, end;

	switch (dwarf_u(&l->b, 1)) {
	case DW_RLE_base_addressx:
		set_base(l, addrx(l));
		break;
	case DW_RLE_base_address:
		set_base(l, dwarf_u(&l->b, addr_size));
		break;
	case DW_RLE_offset_pair:
		start = dwarf_uleb(&l->b);
		end = dwarf_uleb(&l->b);
		add_relative(l, start, end);
		break;
	case DW_RLE_start_length:
		start = dwarf_u(&l->b, addr_size);
		add(l, start, start + dwarf_uleb(&l->b));
		break;
	case DW_RLE_start_end:
		start = dwarf_u(&l->b, addr_size);
		end = dwarf_u(&l->b, addr_size);
		add(l, start, end);
		break;
	case DW_RLE_startx_length:
		start = addrx(l);
		add(l, start, start + dwarf_uleb(&l->b));
		break;
	case DW_RLE_startx_endx:
		start = addrx(l);
		end = addrx(l);
		add(l, start, end);
		break;
	case DW_RLE_end_of_list:
		return false;
	default:
		l->b.bad = true;
	}
	return true;
}

static bool read_range_pair(struct list *l)
{
	uint64_t start = dwarf_u(&l->b, l->u->addr_size), end = dwarf_u(&l->b, l->u->addr_size);

	if (!start && !end)
		return false;
	if (start == l->mask)
		set_base(l, end);
	else if (start < l->mask - 1)
		add_relative(l, start, end);
	return true;
}

static struct sm_error *bad_list(const struct dwarf_unit *u, uint64_t offset)
{
	return sm_error_at(SM_E_FORMAT, u->file->obj->path, u->offset, "bad list of ranges",
		"the unit at this offset of .debug_info has one at 0x%llx of %s",
		(unsigned long long)offset, u->version >= 5 ? ".debug_rnglists" : ".debug_ranges");
}

struct sm_error *sm_dwarf_ranges_read(const struct dwarf *d, const struct dwarf_unit *u,
	uint64_t offset, size_t *budget, struct dwarf_scopes *out)
{
	bool lists = u->version >= 5;
	const struct dwarf_section *s = lists ? &u->file->rnglists : &u->file->ranges;
	struct list l = {.d = d, .u = u, .base = u->has_low_pc ? u->low_pc : 0, .out = out};

	if (!s->data || offset >= s->len)
		return bad_list(u, offset);
	l.mask = u->addr_size == 8 ? UINT64_MAX : UINT32_MAX;
	l.b = (struct dwarf_bytes){
		.p = s->data + offset, .end = s->data + s->len, .swap = u->file->swap};
	while (lists ? read_rnglist_entry(&l) : read_range_pair(&l)) {
		if (l.no_memory)
			return sm_error_nomem();
		if (l.b.bad || !*budget)
			return bad_list(u, offset);
		--*budget;
	}
	return l.b.bad ? bad_list(u, offset) : NULL;
}
