/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a stack is called beyond its boot. */
#include <smtool/table.h>

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

uint64_t sm_stack_key(const struct sm_symbols *syms, const uint64_t *ips, uint32_t depth)
{
	uint64_t h = SM_FNV_INIT;

	for (uint32_t i = 0; i < depth; i++) {
		const struct sm_line *tag = sm_symbols_tag(syms, ips[i]);
		struct sm_symbol sym;

		if (tag && sm_symbols_find(syms, ips[i], &sym)) {
			h = add_string(h, sym.name);
			h = add_le64(h, tag->line);
			h = add_string(h, tag->file ? tag->file : "");
		} else if (syms && sm_symbols_find(syms, ips[i], &sym)) {
			const char *id = sm_symbols_build_id_at(syms, ips[i], &sym);

			h = add_string(h, sym.name);
			h = add_le64(h, sym.offset);
			h = add_string(h, id ? id : "");
		} else {
			h = add_string(h, "?");
			h = add_le64(h, sm_symbols_shown_address(syms, ips[i]));
		}
	}
	return h;
}
