/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a stack is called beyond its boot. */
#include "internal.h"

static uint64_t add_le64(uint64_t h, uint64_t v)
{
	uint64_t le = sm_host_big_endian() ? __builtin_bswap64(v) : v;

	return sm_fnv(h, &le, sizeof(le));
}

/* With the terminating NUL. */
static uint64_t add_string(uint64_t h, const char *s)
{
	return sm_fnv(h, s, strlen(s) + 1);
}

void sm_frame_parts(const struct sm_symbols *syms, uint64_t ip, struct frame_parts *parts)
{
	const struct sm_line *tag;
	struct sm_symbol sym;

	if (!syms || !sm_symbols_find(syms, ip, &sym)) {
		*parts = (struct frame_parts){"?", sm_symbols_shown_address(syms, ip), NULL};
		return;
	}
	tag = sm_symbols_tag(syms, ip);
	parts->name = sym.name;
	parts->number = tag ? tag->line : sym.offset;
	parts->owner = tag ? tag->file : sm_symbols_build_id_at(syms, ip, &sym);
	if (!parts->owner)
		parts->owner = "";
}

uint64_t sm_stack_key(const struct sm_symbols *syms, const uint64_t *ips, uint32_t depth)
{
	uint64_t h = SM_FNV_INIT;

	for (uint32_t i = 0; i < depth; i++) {
		struct frame_parts parts;

		sm_frame_parts(syms, ips[i], &parts);
		h = add_string(h, parts.name);
		h = add_le64(h, parts.number);
		if (parts.owner)
			h = add_string(h, parts.owner);
	}
	return h;
}
