/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a module's sections are: /sys/module/NAME/sections says it. Where that wasn't captured,
 * symbols that kallsyms and the file share do; for .text at last the base in /proc/modules, which
 * is where the text begins.
 */
#include "placement.h"

#include <stdio.h>
#include <stdlib.h>

/* A file in sysfs has a page at most. */
#define SECTION_FILE_MAX 4096

struct placed_section {
	uint64_t start, end; /* run time */
	uint64_t addr;       /* image address of its start */
};

struct placed_module {
	char *name;
	struct image *image;
	struct placed_section *sections;
	size_t n;
};

static void warn(const struct address_space_opts *opts, const char *name, struct sm_error *err)
{
	struct sm_buf text = {0};

	sm_error_format(err, &text);
	sm_log(opts->image.log, SM_WARN, "module '%s' has no lines: %s", name,
		text.data ? text.data : "out of memory");
	sm_buf_release(&text);
	sm_error_free(err);
}

/* 0 = unknown */
static uint64_t base_in_capture(
	const struct address_space_opts *opts, const char *module, const char *section)
{
	struct sm_blob blob = {0};
	struct sm_error *err;
	uint64_t base = 0;
	char member[512];
	int len;

	len = snprintf(member, sizeof(member), "sys/module/%s/sections/%s", module, section);
	if (!opts->src || len < 0 || (size_t)len >= sizeof(member) || strstr(member, "..") ||
		!sm_source_has(opts->src, member))
		return 0;
	err = sm_source_read(opts->src, member, SECTION_FILE_MAX, &blob);
	if (!err) {
		const char *p = (const char *)blob.data, *end = p + blob.size;

		if (blob.size > 2 && p[0] == '0' && (p[1] | 0x20) == 'x') {
			p += 2;
			if (!sm_take_address(&p, end, &base))
				base = 0;
		}
		sm_blob_release(&blob);
	}
	sm_error_free(err);
	return base;
}

struct named {
	const char *name;
	uint64_t addr;
};

static int compare_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* Those whose name occurs once, sorted. */
static size_t keep_unique(struct named *list, size_t n)
{
	size_t kept = 0;

	qsort(list, n, sizeof(*list), compare_name);
	for (size_t i = 0, same; i < n; i += same) {
		for (same = 1; i + same < n && !strcmp(list[i].name, list[i + same].name); same++)
			;
		if (same == 1)
			list[kept++] = list[i];
	}
	return kept;
}

/* Symbols of the capture's kallsyms that belong to the module. */
static struct named *list_runtime(
	const struct address_space_opts *opts, const char *module, size_t *n)
{
	const struct module *mod = sm_modules_get(opts->modules, module);
	struct named *list;

	*n = 0;
	if (!mod || !mod->n)
		return NULL;
	list = malloc(mod->n * sizeof(*list));
	for (size_t i = mod->first; list && i < (size_t)mod->first + mod->n; i++) {
		const struct module_symbol *s = &opts->kallsyms->mods[i];

		list[(*n)++] = (struct named){opts->kallsyms->names + s->name, s->addr};
	}
	*n = list ? keep_unique(list, *n) : 0;
	return list;
}

static struct named *list_linked(struct image *image, size_t *n)
{
	const struct kallsyms *k = sm_image_symbols(image);
	struct named *list = k->n ? malloc(k->n * sizeof(*list)) : NULL;

	*n = 0;
	for (size_t i = 0; list && i < k->n; i++) {
		if (k->syms[i].name != NAME_CUT)
			list[(*n)++] = (struct named){k->names + k->syms[i].name, k->syms[i].addr};
	}
	*n = list ? keep_unique(list, *n) : 0;
	return list;
}

/* Two sorted lists of unique names: the address that most of the section's symbols agree on. */
static uint64_t vote(const struct object_section *section, const struct named *runtime, size_t n,
	const struct named *linked, size_t m)
{
	uint64_t winner = 0;
	size_t lead = 0;

	for (size_t i = 0, k = 0; i < n && k < m;) {
		int order = strcmp(runtime[i].name, linked[k].name);
		uint64_t off = linked[k].addr - section->addr;

		if (order == 0 && off < section->size) {
			uint64_t base = runtime[i].addr - off;

			if (!lead)
				winner = base;
			lead = base == winner ? lead + 1 : lead - 1;
		}
		i += order <= 0;
		k += order >= 0;
	}
	return lead ? winner : 0;
}

static bool place_sections(struct placed_module *mod, const struct address_space_opts *opts)
{
	const struct object *obj = sm_image_object(mod->image);
	const struct module *known = sm_modules_get(opts->modules, mod->name);
	struct named *runtime = NULL, *linked = NULL;
	size_t n = 0, m = 0;
	bool listed = false;

	mod->sections = calloc(obj->nsections + 1, sizeof(*mod->sections));
	if (!mod->sections)
		return false;
	for (size_t i = 0; i < obj->nsections; i++) {
		const struct object_section *s = &obj->sections[i];
		uint64_t base;

		if (!(s->flags & SHF_ALLOC) || !(s->flags & SHF_EXECINSTR) || !s->size)
			continue;
		base = base_in_capture(opts, mod->name, s->name);
		if (!base && !listed) {
			listed = true;
			runtime = list_runtime(opts, mod->name, &n);
			linked = n ? list_linked(mod->image, &m) : NULL;
		}
		if (!base)
			base = vote(s, runtime, n, linked, m);
		if (!base && !strcmp(s->name, ".text") && known && known->end)
			base = known->base;
		if (base && base <= UINT64_MAX - s->size)
			mod->sections[mod->n++] =
				(struct placed_section){base, base + s->size, s->addr};
	}
	free(runtime);
	free(linked);
	return true;
}

struct placed_module *sm_placed_module_new(const struct address_space_opts *opts, const char *name)
{
	struct placed_module *mod = calloc(1, sizeof(*mod));
	const struct module *known = sm_modules_get(opts->modules, name);
	struct object_set set = {0};
	struct sm_error *err;

	if (!mod)
		return NULL;
	mod->name = strdup(name);
	if (!mod->name) {
		free(mod);
		return NULL;
	}
	err = sm_search_module(&opts->search, name, known ? known->build_id : NULL, &set);
	if (!err && (set.code || set.debug))
		err = sm_image_new(&set, &opts->image, &mod->image);
	else
		sm_object_set_release(&set);
	if (!err && mod->image && !place_sections(mod, opts))
		err = sm_error_nomem();
	if (err)
		warn(opts, name, err);
	return mod;
}

void sm_placed_module_free(struct placed_module *mod)
{
	if (!mod)
		return;
	sm_image_free(mod->image);
	free(mod->sections);
	free(mod->name);
	free(mod);
}

const char *sm_placed_module_name(const struct placed_module *mod)
{
	return mod->name;
}

const char *sm_placed_module_path(const struct placed_module *mod)
{
	return mod->image ? sm_image_object(mod->image)->path : NULL;
}

bool sm_placed_module_locate(struct placed_module *mod, uint64_t ip, struct location *where)
{
	for (size_t i = 0; i < mod->n; i++) {
		const struct placed_section *s = &mod->sections[i];

		if (ip >= s->start && ip < s->end) {
			*where = (struct location){
				mod->image, mod->name, ip - s->start + s->addr, s->start - s->addr};
			return true;
		}
	}
	return false;
}

uint64_t sm_placed_module_run_time(
	const struct placed_module *mod, const struct location *where, uint64_t addr)
{
	for (size_t i = 0; i < mod->n; i++) {
		const struct placed_section *s = &mod->sections[i];

		if (addr >= s->addr && addr - s->addr < s->end - s->start)
			return s->start + (addr - s->addr);
	}
	return addr + where->slide;
}
