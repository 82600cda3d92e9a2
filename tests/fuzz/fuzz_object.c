/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An ELF file, compressed as a whole or not: all sections, the code, the symbols. */
#include <stdlib.h>

#include "lib/symbol/object.h"

/* Sections that are looked at. A file of thousands that lie over each other would be read as often.
 */
#define SECTIONS_MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads every byte. */
static void touch(const void *data, size_t len)
{
	static volatile uint64_t seen;

	seen = sm_hash(data, len, seen);
}

static void read_section(struct object *obj, const struct object_section *s)
{
	const uint8_t *data;
	size_t len;
	struct sm_error *err = sm_object_data(obj, s, &data, &len);

	touch(s->name, strlen(s->name));
	if (err) {
		struct sm_buf text = {0};

		if (data || len)
			abort();
		sm_error_format(err, &text);
		sm_buf_release(&text);
		sm_error_free(err);
	} else {
		if (data && len != s->size)
			abort();
		touch(data, data ? len : 0);
	}
	if (!(s->flags & SHF_ALLOC) || !s->size)
		return;
	for (unsigned i = 0; i < 3; i++) {
		const uint64_t at[] = {0, s->size / 2, s->size - 1};

		data = sm_object_code(obj, s->addr + at[i], &len);
		touch(data, data ? len : 0);
	}
}

static void read_symbols(struct object *obj)
{
	struct kallsyms k;
	struct sm_error *err = sm_object_symbols(obj, &k);
	struct sm_symbol sym;

	if (err) {
		sm_error_free(err);
		return;
	}
	for (size_t i = 0; i < k.n; i++) {
		if (i && k.syms[i].addr < k.syms[i - 1].addr)
			abort();
		if (!sm_kallsyms_holds(&k, k.syms[i].addr) ||
			!sm_kallsyms_find(&k, k.syms[i].addr, &sym))
			continue;
		if (sym.start != k.syms[i].addr || sym.offset)
			abort();
		touch(sym.name, strlen(sym.name));
	}
	sm_kallsyms_release(&k);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct object *obj;
	struct sm_error *err = sm_object_from_memory("fuzz", data, size, NULL, &obj);

	if (err) {
		if (obj)
			abort();
		sm_error_free(err);
		return 0;
	}
	touch(obj->build_id ? obj->build_id : "", 1);
	if (obj->debuglink)
		touch(obj->debuglink, strlen(obj->debuglink));
	if (obj->altlink)
		touch(obj->altlink, strlen(obj->altlink));
	for (size_t i = 0; i < obj->nsections && i < SECTIONS_MAX; i++)
		read_section(obj, &obj->sections[i]);
	read_symbols(obj);
	sm_object_address(obj, "_stext");
	sm_object_free(obj);
	return 0;
}
