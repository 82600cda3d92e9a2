/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The modules' ranges, symbols and build ids, and the lookups as kernel/module/kallsyms.c does
 * them. */
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>

/* A module's text ends with a page. Kernels with larger pages exist, but nothing in a capture says
 * how a module was laid out. */
#define MODULE_PAGE UINT64_C(4096)

/* The item of `id`, made when it is new; NULL when memory is short. */
static struct module *module_at(struct modules *m, uint32_t id)
{
	if (id == SM_NO_STRING || !sm_grow(&m->items, &m->cap, (size_t)id + 1, sizeof(*m->items)))
		return NULL;
	while (m->n <= id)
		m->items[m->n++] = (struct module){0};
	return &m->items[id];
}

/* The next word of a line; false at its end. */
static bool take_word(const char **p, const char *end, const char **word, size_t *len)
{
	while (*p < end && **p == ' ')
		++*p;
	*word = *p;
	while (*p < end && **p != ' ')
		++*p;
	*len = (size_t)(*p - *word);
	return *len > 0;
}

/* NAME SIZE REFCOUNT USERS STATE 0xBASE [(TAINT)] */
static bool parse_line(const char *p, const char *end, const char **name, size_t *name_len,
	uint64_t *base, uint64_t *size)
{
	const char *word;
	size_t len, i;

	if (!take_word(&p, end, name, name_len) || memchr(*name, '\0', *name_len) ||
		!take_word(&p, end, &word, &len) || len > 15)
		return false;
	*size = 0;
	for (i = 0; i < len; i++) {
		if (word[i] < '0' || word[i] > '9')
			return false;
		*size = *size * 10 + (uint64_t)(word[i] - '0');
	}
	for (i = 0; i < 3; i++) {
		if (!take_word(&p, end, &word, &len))
			return false;
	}
	if (!take_word(&p, end, &word, &len) || len < 3 || memcmp(word, "0x", 2) != 0)
		return false;
	end = word + len;
	word += 2;
	return sm_take_address(&word, end, base) && word == end && *base && *size &&
	       *size <= UINT64_MAX - *base;
}

struct sm_error *sm_modules_parse(struct modules *m, const void *text, size_t len)
{
	const char *p = text, *end = p + len;

	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p)), *name;
		struct module *mod;
		uint64_t base, size;
		size_t name_len;

		if (!nl)
			break; /* cut short: the base may be, too */
		if (parse_line(p, nl, &name, &name_len, &base, &size)) {
			mod = module_at(m, sm_strings_add(&m->strings, name, name_len));
			if (!mod)
				return sm_error_nomem();
			mod->base = base;
			mod->end = base + size;
		}
		p = nl + 1;
	}
	return NULL;
}

static struct sm_error *read_build_id(
	struct modules *m, const struct sm_source *src, const char *name)
{
	struct sm_error *err;
	struct module *mod;
	char path[256], *id;
	int len;

	len = snprintf(path, sizeof(path), "sys/module/%s/notes/.note.gnu.build-id", name);
	if (len < 0 || (size_t)len >= sizeof(path))
		return NULL;
	err = sm_build_id_read(src, path, &id);
	if (err || !id)
		return err;
	mod = module_at(m, sm_strings_add(&m->strings, name, strlen(name)));
	if (!mod) {
		free(id);
		return sm_error_nomem();
	}
	free(mod->build_id);
	mod->build_id = id;
	return NULL;
}

struct sm_error *sm_modules_read_build_ids(struct modules *m, const struct sm_source *src)
{
	struct sm_names names = {0};
	struct sm_error *err;

	err = sm_source_list(src, "sys/module", &names);
	for (size_t i = 0; i < names.n && !err; i++)
		err = read_build_id(m, src, names.names[i]);
	sm_names_release(&names);
	return err;
}

static bool name_is_pseudo(const char *name)
{
	return strcmp(name, "bpf") == 0 || strncmp(name, "__builtin__", 11) == 0;
}

static int compare_addr(const struct module_symbol *x, const struct module_symbol *y)
{
	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->seq < y->seq ? -1 : 1;
}

static int compare_module(const void *a, const void *b)
{
	const struct module_symbol *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	return compare_addr(x, y);
}

static int compare_loose(const void *a, const void *b)
{
	return compare_addr(a, b);
}

/* Moves what belongs to no real module from k->mods to m->loose. */
static bool split_loose(struct modules *m, struct kallsyms *k)
{
	size_t kept = 0, cap = 0;
	uint32_t module = SM_NO_STRING;
	bool pseudo = false;

	for (size_t i = 0; i < k->nmods; i++) {
		if (k->mods[i].module != module) {
			module = k->mods[i].module;
			pseudo = name_is_pseudo(sm_strings_get(&m->strings, module));
		}
		if (!pseudo) {
			k->mods[kept++] = k->mods[i];
			continue;
		}
		if (!sm_grow(&m->loose, &cap, m->nloose + 1, sizeof(*m->loose)))
			return false;
		m->loose[m->nloose++] = k->mods[i];
	}
	k->nmods = kept;
	return true;
}

/* Without /proc/modules: from the first function to where the last may end. */
static void guess_range(struct module *mod, const struct module_symbol *syms)
{
	uint64_t last = 0;

	for (size_t i = mod->first; i < mod->first + mod->n; i++) {
		if (!sm_symbol_type_is_text(syms[i].type) || !syms[i].addr)
			continue;
		if (!mod->base)
			mod->base = syms[i].addr;
		last = syms[i].addr;
	}
	if (last)
		mod->end = last < UINT64_MAX - SYMBOL_REACH ? last + SYMBOL_REACH : UINT64_MAX;
}

struct range {
	uint64_t base;
	uint32_t id;
};

static int compare_range(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->base != y->base)
		return x->base < y->base ? -1 : 1;
	return x->id < y->id ? -1 : 1;
}

static bool index_ranges(struct modules *m)
{
	struct range *ranges = calloc(m->n + 1, sizeof(*ranges));
	size_t n = 0;

	m->by_base = calloc(m->n + 1, sizeof(*m->by_base));
	if (!ranges || !m->by_base) {
		free(ranges);
		return false;
	}
	for (size_t i = 0; i < m->n; i++) {
		if (m->items[i].end)
			ranges[n++] = (struct range){m->items[i].base, (uint32_t)i};
	}
	qsort(ranges, n, sizeof(*ranges), compare_range);
	for (size_t i = 0; i < n; i++)
		m->by_base[i] = ranges[i].id;
	m->nranges = n;
	free(ranges);
	return true;
}

struct sm_error *sm_modules_build(struct modules *m, struct kallsyms *k)
{
	if (!split_loose(m, k))
		return sm_error_nomem();
	if (m->nloose)
		qsort(m->loose, m->nloose, sizeof(*m->loose), compare_loose);
	if (k->nmods)
		qsort(k->mods, k->nmods, sizeof(*k->mods), compare_module);
	if (m->strings.n && !module_at(m, (uint32_t)(m->strings.n - 1)))
		return sm_error_nomem();
	for (size_t i = 0; i < k->nmods; i++) {
		struct module *mod = &m->items[k->mods[i].module];

		if (!mod->n++)
			mod->first = (uint32_t)i;
	}
	for (size_t i = 0; i < m->n; i++) {
		if (!m->items[i].end && m->items[i].n)
			guess_range(&m->items[i], k->mods);
	}
	return index_ranges(m) ? NULL : sm_error_nomem();
}

void sm_modules_release(struct modules *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->items[i].build_id);
	free(m->items);
	free(m->by_base);
	free(m->loose);
	sm_strings_release(&m->strings);
	*m = (struct modules){0};
}

/* How many of the n symbols, sorted by address, start at or below `ip`. */
static size_t count_up_to(const struct module_symbol *syms, size_t n, uint64_t ip)
{
	size_t low = 0;

	while (low < n) {
		size_t mid = low + (n - low) / 2;

		if (syms[mid].addr <= ip)
			low = mid + 1;
		else
			n = mid;
	}
	return low;
}

/* The first of those that start where syms[i] does. */
static size_t first_alias(const struct module_symbol *syms, size_t i)
{
	uint64_t addr = syms[i].addr;

	if (!i || syms[i - 1].addr != addr)
		return i;
	return addr ? count_up_to(syms, i, addr - 1) : 0;
}

static uint64_t page_end(uint64_t v)
{
	return v < UINT64_MAX - MODULE_PAGE ? (v | (MODULE_PAGE - 1)) + 1 : UINT64_MAX;
}

static const struct module *module_of(const struct modules *m, uint64_t ip)
{
	const struct module *mod;
	size_t low = 0, n = m->nranges;

	while (low < n) {
		size_t mid = low + (n - low) / 2;

		if (m->items[m->by_base[mid]].base <= ip)
			low = mid + 1;
		else
			n = mid;
	}
	if (!low)
		return NULL;
	/* Since 6.4 the size is that of all parts together, of which the text at base is one: a
	 * range can reach over the next module's text, which has the nearer base. */
	mod = &m->items[m->by_base[low - 1]];
	return ip < mod->end ? mod : NULL;
}

/*
 * The kernel ends a module's last function where the text does, which no file tells; it is a page's
 * end, and nearly always that of the page that the function starts in.
 */
static uint64_t end_of_text(uint64_t start, uint64_t ip, uint64_t bound)
{
	uint64_t end = page_end(start);

	if (end <= ip)
		end = page_end(ip);
	return end < bound ? end : bound;
}

static bool find_in_module(
	const struct modules *m, const struct kallsyms *k, uint64_t ip, struct sm_symbol *sym)
{
	const struct module *mod = module_of(m, ip);
	const struct module_symbol *syms, *best, *next;
	uint64_t end;
	size_t i;

	if (!mod || !mod->n)
		return false;
	syms = k->mods + mod->first;
	i = count_up_to(syms, mod->n, ip);
	if (!i)
		return false;
	best = &syms[first_alias(syms, i - 1)];
	next = i < mod->n && syms[i].addr < mod->end ? &syms[i] : NULL;
	end = next ? next->addr : mod->end;
	if (sm_symbol_type_is_text(best->type) && !(next && sm_symbol_type_is_text(next->type)))
		end = end_of_text(best->addr, ip, end);
	*sym = (struct sm_symbol){
		.name = k->names + best->name,
		.module = sm_strings_get(&m->strings, best->module),
		.start = best->addr,
		.offset = ip - best->addr,
		.size = end > best->addr ? end - best->addr : 0,
	};
	return true;
}

/* kallsyms gives no end of these: the next one's start is taken where it is near. */
static bool find_loose(
	const struct modules *m, const struct kallsyms *k, uint64_t ip, struct sm_symbol *sym)
{
	size_t i = count_up_to(m->loose, m->nloose, ip);
	const struct module_symbol *best;
	uint64_t size = 0;

	if (!i)
		return false;
	best = &m->loose[first_alias(m->loose, i - 1)];
	if (ip - best->addr >= SYMBOL_REACH || !best->addr)
		return false;
	if (i < m->nloose && m->loose[i].module == best->module)
		size = m->loose[i].addr - best->addr;
	*sym = (struct sm_symbol){
		.name = k->names + best->name,
		.module = sm_strings_get(&m->strings, best->module),
		.start = best->addr,
		.offset = ip - best->addr,
		.size = size <= SYMBOL_REACH ? size : 0,
	};
	return true;
}

bool sm_modules_find(
	const struct modules *m, const struct kallsyms *k, uint64_t ip, struct sm_symbol *sym)
{
	struct sm_symbol loose;
	bool has_loose = find_loose(m, k, ip, &loose);
	bool has_module = find_in_module(m, k, ip, sym);

	/* A module's range may be too long, a loose symbol's start is exact: the nearer start is
	 * right. */
	if (has_loose && (!has_module || loose.start > sym->start))
		*sym = loose;
	return has_loose || has_module;
}

const char *sm_modules_at(const struct modules *m, uint64_t ip)
{
	const struct module *mod = module_of(m, ip);

	return mod ? sm_strings_get(&m->strings, (uint32_t)(mod - m->items)) : NULL;
}

const struct module *sm_modules_get(const struct modules *m, const char *name)
{
	uint32_t id = sm_strings_find(&m->strings, name, strlen(name));

	return id < m->n ? &m->items[id] : NULL;
}
