/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses that stand for a frame which has its name already. */
#include "symbols.h"

static const struct sm_frame *frame_of(const struct sm_symbols *syms, uint64_t ip)
{
	return syms->frames ? sm_frames_get(syms->frames, ip) : NULL;
}

bool sm_named_find(const struct sm_symbols *syms, uint64_t ip, struct sm_symbol *sym)
{
	const struct sm_frame *f = frame_of(syms, ip);

	*sym = (struct sm_symbol){0};
	if (!f || !f->symbol)
		return false;
	sym->name = f->symbol;
	sym->module = f->module;
	sym->offset = f->offset;
	sym->size = f->size;
	return true;
}

bool sm_named_find_caller(const struct sm_symbols *syms, uint64_t ip, struct sm_symbol *sym)
{
	const struct sm_frame *f = frame_of(syms, ip);

	if (!sm_named_find(syms, ip, sym))
		return false;
	if (f->caller) {
		sym->name = f->caller;
		sym->offset = f->caller_offset;
		sym->size = f->caller_size;
	}
	return true;
}

size_t sm_named_lines(const struct sm_symbols *syms, uint64_t ip, const struct sm_line **lines)
{
	const struct sm_frame *f = frame_of(syms, ip);
	size_t n = f ? f->nlines : 0;

	if (!n)
		return 0;
	*lines = f->lines;
	if (!syms->no_inlines)
		return n;
	*lines += n - 1;
	return 1;
}

const struct sm_line *sm_symbols_tag(const struct sm_symbols *syms, uint64_t ip)
{
	const struct sm_frame *f = syms && sm_is_named(ip) ? frame_of(syms, ip) : NULL;

	return f && f->symbol && !f->offset && !f->size && f->nlines ? &f->lines[f->nlines - 1]
								     : NULL;
}

uint64_t sm_symbols_shown_address(const struct sm_symbols *syms, uint64_t ip)
{
	const struct sm_frame *f = syms && sm_is_named(ip) ? frame_of(syms, ip) : NULL;

	return f ? f->address : ip;
}

const char *sm_symbols_build_id_at(
	const struct sm_symbols *syms, uint64_t ip, const struct sm_symbol *sym)
{
	const struct sm_frame *f = sm_is_named(ip) ? frame_of(syms, ip) : NULL;

	return f ? f->build_id : sm_symbols_build_id(syms, sym->module);
}
