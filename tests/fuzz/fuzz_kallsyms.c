/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kallsyms, /proc/modules and notes in one input, separated by NUL NUL NUL NUL: the parsers, and
 * lookups around every address that they could have found.
 */
#include <stdlib.h>

#include "lib/symbol/internal.h"

#define SEPARATOR "\0\0\0\0"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The part up to the separator, in memory of its own; moves *data behind it. */
static uint8_t *take_part(const uint8_t **data, size_t *size, size_t *len)
{
	const uint8_t *sep = memmem(*data, *size, SEPARATOR, 4);
	uint8_t *part;

	*len = sep ? (size_t)(sep - *data) : *size;
	part = malloc(*len ? *len : 1);
	if (!part)
		abort();
	memcpy(part, *data, *len);
	*size -= sep ? *len + 4 : *len;
	*data += sep ? *len + 4 : *len;
	return part;
}

static void look_up(const struct kallsyms *k, const struct modules *m, uint64_t ip)
{
	struct sm_symbol sym = {0};
	bool found;

	found = sm_kallsyms_holds(k, ip) ? sm_kallsyms_find(k, ip, &sym)
					 : sm_modules_find(m, k, ip, &sym);
	if (!found)
		return;
	/* Reads all of the name. */
	if (!strlen(sym.name) || sym.start > ip || sym.offset != ip - sym.start ||
		(sym.size && sym.size <= sym.offset))
		abort();
	if (sym.module && !strlen(sym.module))
		abort();
}

static void look_around(const struct kallsyms *k, const struct modules *m, uint64_t ip)
{
	look_up(k, m, ip - 1);
	look_up(k, m, ip);
	look_up(k, m, ip + 1);
	look_up(k, m, ip + SYMBOL_REACH);
}

static void look_everywhere(const struct kallsyms *k, const struct modules *m)
{
	for (size_t i = 0; i < k->n; i++)
		look_around(k, m, k->syms[i].addr);
	for (size_t i = 0; i < k->nmods; i++)
		look_around(k, m, k->mods[i].addr);
	for (size_t i = 0; i < m->nloose; i++)
		look_around(k, m, m->loose[i].addr);
	for (size_t i = 0; i < m->n; i++) {
		look_around(k, m, m->items[i].base);
		look_around(k, m, m->items[i].end);
	}
	look_around(k, m, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kallsyms k = {0};
	struct modules m = {0};
	struct sm_buf hex = {0};
	size_t text_len, modules_len, notes_len;
	uint8_t *text = take_part(&data, &size, &text_len);
	uint8_t *list = take_part(&data, &size, &modules_len);
	uint8_t *notes = take_part(&data, &size, &notes_len);

	sm_error_free(sm_kallsyms_parse(&k, &m.strings, text, text_len));
	sm_error_free(sm_modules_parse(&m, list, modules_len));
	sm_error_free(sm_modules_build(&m, &k));
	free(text); /* nothing may refer to it any more */
	free(list);
	look_everywhere(&k, &m);
	sm_kallsyms_address(&k, "_stext");
	sm_modules_release(&m);
	sm_kallsyms_release(&k);
	if (sm_build_id_parse(notes, notes_len, false, &hex) && (!hex.len || hex.len % 2))
		abort();
	sm_build_id_parse(notes, notes_len, true, &hex);
	sm_buf_release(&hex);
	free(notes);
	return 0;
}
