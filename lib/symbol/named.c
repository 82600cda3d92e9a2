/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses that stand for a frame which has its name already. */
#include <stdlib.h>

#include "symbols.h"

/* More functions of one name than that, and none of them is looked at. */
#define MAX_NAMESAKES 64

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

/* The only function of that name and size in the files at hand; 0 = none, or several. */
static uint64_t find_address(const struct sm_symbols *syms, const struct sm_frame *f)
{
	const char *name = f->caller ? f->caller : f->symbol;
	uint64_t size = f->caller ? f->caller_size : f->size;
	uint64_t offset = f->caller ? f->caller_offset : f->offset;
	struct sm_symbol found[MAX_NAMESAKES];
	uint64_t address = 0;
	size_t n = sm_symbols_named(syms, f->module, name, found, MAX_NAMESAKES);

	if (!size || n > MAX_NAMESAKES)
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (found[i].size != size)
			continue;
		if (address)
			return 0;
		address = found[i].start + offset;
	}
	return address;
}

uint64_t sm_symbols_real(const struct sm_symbols *syms, uint64_t ip)
{
	const struct sm_frame *f = syms && sm_is_named(ip) ? frame_of(syms, ip) : NULL;
	uint64_t *known, real;

	if (!f || !f->symbol || f->nlines || !syms->space)
		return ip;
	/* A memory of answers, which a caller with a const pointer doesn't see. */
	if (!syms->named)
		((struct sm_symbols *)syms)->named =
			calloc(sm_frames_count(syms->frames), sizeof(*syms->named));
	known = syms->named ? &syms->named[ip - SM_FRAME_TAG] : NULL;
	if (known && *known)
		return *known;
	real = find_address(syms, f);
	if (!real)
		real = ip;
	if (known)
		*known = real;
	return real;
}

size_t sm_named_lines(const struct sm_symbols *syms, uint64_t ip, const struct sm_line **lines)
{
	const struct sm_frame *f = frame_of(syms, ip);
	size_t n = f ? f->nlines : 0;

	if (!n) {
		uint64_t real = sm_symbols_real(syms, ip);

		return real == ip ? 0 : sm_symbols_lines(syms, real, SM_ADDRESS_RETURN, lines);
	}
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
