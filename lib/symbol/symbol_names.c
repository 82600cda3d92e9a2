/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From names to addresses. */
#include "symbols.h"

#include <stdlib.h>

/* kallsyms, or without it the symbols of the vmlinux, whose slide has to be known then. */
static const struct kallsyms *table_of(const struct sm_symbols *syms, uint64_t *slide)
{
	const struct kallsyms *k = &syms->kallsyms;
	struct image *kernel = syms->space ? sm_address_space_kernel(syms->space) : NULL;

	*slide = 0;
	if (k->n || k->nmods || !kernel || !sm_address_space_slide(syms->space, slide))
		return k;
	return sm_image_symbols(kernel);
}

/* No table tells sizes: they follow from what comes next, which the other direction knows. */
static uint64_t size_of(const struct sm_symbols *syms, uint64_t start)
{
	struct sm_symbol sym;

	return sm_symbols_find(syms, start, &sym) && sym.start == start ? sym.size : 0;
}

static bool wanted(const char *module, const char *of)
{
	if (!module)
		return !of;
	return !*module || (of && !strcmp(of, module));
}

size_t sm_symbols_named(const struct sm_symbols *syms, const char *module, const char *name,
	struct sm_symbol *found, size_t max)
{
	uint64_t slide;
	const struct kallsyms *k = table_of(syms, &slide);
	size_t n, kept = 0;
	uint32_t *list;

	/* Made by the first who asks, which a caller with a const pointer doesn't see. */
	if (!syms->names && (k->n || k->nmods))
		((struct sm_symbols *)syms)->names = sm_name_index_new(k);
	n = syms->names ? sm_name_index_find(syms->names, name, NULL, 0) : 0;
	list = n ? malloc(n * sizeof(*list)) : NULL;
	if (!list)
		return 0;
	sm_name_index_find(syms->names, name, list, n);
	for (size_t i = 0; i < n; i++) {
		bool own = list[i] < k->n;
		const struct module_symbol *mod = own ? NULL : &k->mods[list[i] - k->n];
		const char *of = own ? NULL : sm_strings_get(&syms->modules.strings, mod->module);
		uint64_t start = own ? k->syms[list[i]].addr + slide : mod->addr;

		if (!wanted(module, of))
			continue;
		if (kept < max)
			found[kept] = (struct sm_symbol){
				.name = k->names + (own ? k->syms[list[i]].name : mod->name),
				.module = of,
				.start = start,
				.size = size_of(syms, start),
			};
		kept++;
	}
	free(list);
	return kept;
}

bool sm_symbols_range(
	const struct sm_symbols *syms, const char *module, uint64_t *start, uint64_t *end)
{
	const struct module *m = module ? sm_modules_get(&syms->modules, module) : NULL;

	*start = m ? m->base : 0;
	*end = m ? m->end : 0;
	if (!module) {
		*start = sm_symbols_address(syms, "_text");
		if (!*start)
			*start = sm_symbols_address(syms, "_stext");
		*end = sm_symbols_address(syms, "_end");
		if (!*end)
			*end = sm_symbols_address(syms, "_etext");
	}
	if (*start && *start < *end)
		return true;
	*start = *end = 0;
	return false;
}
