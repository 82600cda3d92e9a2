/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of /proc/kallsyms, and the lookups in the kernel's own part as kernel/kallsyms.c does
 * them. */
#include "internal.h"

#include <stdlib.h>
#include <sys/mman.h>

#define HUGE_PAGE ((size_t)2 << 20)

/* One line: `ADDRESS TYPE NAME`, then `\t[MODULE]` where it isn't the kernel's own. */
struct line {
	const char *name, *module;
	size_t name_len, module_len; /* module_len 0 = the kernel's own */
	uint64_t addr;
	char type;
};

void *sm_table_alloc(size_t size)
{
	void *table;

	if (size < HUGE_PAGE / 2 || size > SIZE_MAX - HUGE_PAGE)
		return malloc(size);
	size = (size + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
	if (posix_memalign(&table, HUGE_PAGE, size) != 0)
		return NULL;
	madvise(table, size, MADV_HUGEPAGE); /* where there are none, small pages do */
	return table;
}

bool sm_take_address(const char **p, const char *end, uint64_t *v)
{
	const char *start = *p, *s;
	uint64_t n = 0;

	if (end - start > 16)
		end = start + 16;
	for (s = start; s < end; s++) {
		unsigned c = (unsigned char)*s, d = c - '0';

		if (d > 9) {
			d = (c | 0x20) - 'a';
			if (d > 5)
				break;
			d += 10;
		}
		n = n << 4 | d;
	}
	*p = s;
	*v = n;
	return s > start;
}

bool sm_symbol_type_is_text(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Takes [s, end) apart, which has no newline. */
static bool line_split(struct line *l, const char *s, const char *end)
{
	const char *p;

	if (!sm_take_address(&s, end, &l->addr) || end - s < 4 || s[0] != ' ' || is_blank(s[1]) ||
		s[2] != ' ')
		return false;
	l->type = s[1];
	s += 3;
	for (p = s; p < end && !is_blank(*p); p++)
		;
	l->name = s;
	l->name_len = (size_t)(p - s);
	l->module = NULL;
	l->module_len = 0;
	if (p == end)
		return l->name_len > 0;
	while (p < end && is_blank(*p))
		p++;
	while (p < end && is_blank(end[-1]))
		end--;
	if (p < end) {
		if (end - p < 3 || *p != '[' || end[-1] != ']')
			return false;
		l->module = p + 1;
		l->module_len = (size_t)(end - p) - 2;
	}
	return l->name_len > 0;
}

/* /boot/System.map of a distribution that ships the real one with the debug symbols. */
static bool line_is_stub(const char *s, const char *end)
{
	static const char text[] = "The real System.map is in the";
	size_t len = sizeof(text) - 1;

	for (; s < end && (size_t)(end - s) >= len; s++) {
		if (*s == 'T' && memcmp(s, text, len) == 0)
			return true;
	}
	return false;
}

/* The first of each name counts, as it does for the kernel. */
static void note_bound(struct kallsyms *k, const char *name, size_t len, uint64_t addr)
{
	const struct {
		const char *name;
		uint64_t *bound;
	} bounds[] = {
		{"_stext", &k->stext},
		{"_etext", &k->etext},
		{"_sinittext", &k->sinittext},
		{"_einittext", &k->einittext},
		{"_end", &k->end},
	};

	for (size_t i = 0; i < SM_ARRAY_SIZE(bounds); i++) {
		if (!*bounds[i].bound && strlen(bounds[i].name) == len &&
			memcmp(name, bounds[i].name, len) == 0)
			*bounds[i].bound = addr;
	}
}

void sm_kallsyms_note(struct kallsyms *k, const char *name, size_t len, uint64_t addr, char type)
{
	if (name[0] == '_' && len <= sizeof("_einittext") - 1)
		note_bound(k, name, len, addr);
	if (sm_symbol_type_is_text(type) && addr && (!k->text_low || addr < k->text_low))
		k->text_low = addr;
}

static bool add_kernel(struct kallsyms *k, const struct line *l, uint32_t name)
{
	if (!sm_grow(&k->syms, &k->cap, k->n + 1, sizeof(*k->syms)))
		return false;
	k->syms[k->n] = (struct kernel_symbol){l->addr, name, (uint32_t)k->n};
	k->n++;
	if (name != NAME_CUT)
		sm_kallsyms_note(k, l->name, l->name_len, l->addr, l->type);
	return true;
}

/* Those the kernel passes over: percpu and absolute ones, whose value is no address; undefined
 * ones; and the assembler's marks. */
static bool module_symbol_is_void(const struct line *l)
{
	if (l->type == 'a' || l->type == 'A' || l->type == 'u' || l->type == 'U')
		return true;
	return l->name[0] == '$' || (l->name_len > 1 && (memcmp(l->name, ".L", 2) == 0 ||
								memcmp(l->name, "L0", 2) == 0));
}

static bool add_module(
	struct kallsyms *k, struct sm_strings *strings, const struct line *l, uint32_t name)
{
	const struct module_symbol *last = k->nmods ? &k->mods[k->nmods - 1] : NULL;
	uint32_t module = SM_NO_STRING;

	if (last) {
		const struct sm_string *s = &strings->items[last->module];

		if (s->len == l->module_len && memcmp(s->data, l->module, s->len) == 0)
			module = last->module;
	}
	if (module == SM_NO_STRING)
		module = sm_strings_add(strings, l->module, l->module_len);
	if (module == SM_NO_STRING ||
		!sm_grow(&k->mods, &k->mods_cap, k->nmods + 1, sizeof(*k->mods)))
		return false;
	k->mods[k->nmods] = (struct module_symbol){
		.addr = l->addr,
		.name = name,
		.module = module,
		.seq = (uint32_t)k->nmods,
		.type = l->type,
	};
	k->nmods++;
	return true;
}

static uint32_t add_name(struct kallsyms *k, const struct line *l)
{
	uint32_t at = (uint32_t)k->names_len;

	memcpy(k->names + at, l->name, l->name_len);
	k->names[at + l->name_len] = '\0';
	k->names_len += l->name_len + 1;
	return at;
}

static int compare_kernel(const void *a, const void *b)
{
	const struct kernel_symbol *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->seq < y->seq ? -1 : 1;
}

static void sort_kernel(struct kallsyms *k)
{
	/* A kernel's own file is in order. */
	for (size_t i = 1; i < k->n; i++) {
		if (k->syms[i - 1].addr > k->syms[i].addr) {
			qsort(k->syms, k->n, sizeof(*k->syms), compare_kernel);
			return;
		}
	}
}

struct sm_error *sm_kallsyms_parse(
	struct kallsyms *k, struct sm_strings *strings, const void *text, size_t len)
{
	const char *p = text, *end = p + len;
	bool ok = true, has_nul;

	if (!len)
		return NULL;
	/* A line is longer than its name and a NUL; it has 44 bytes on average. */
	k->names = sm_table_alloc(len);
	k->cap = len / 32;
	k->syms = sm_table_alloc((k->cap + 1) * sizeof(*k->syms));
	if (!k->names || !k->syms)
		return sm_error_nomem();
	has_nul = memchr(text, '\0', len) != NULL;
	while (p < end && ok) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		const char *line = p, *line_end = nl ? nl : end;
		uint32_t name;
		struct line l;

		p = nl ? nl + 1 : end;
		if (!line_split(&l, line, line_end) ||
			(has_nul && memchr(line, '\0', (size_t)(line_end - line)))) {
			k->skipped++;
			k->stub |= line_is_stub(line, line_end);
			continue;
		}
		k->nonzero |= l.addr != 0;
		/* The kernel ends every line: without an end it may be cut anywhere. */
		if (!nl) {
			k->skipped++;
			if (!l.module_len)
				ok = add_kernel(k, &l, NAME_CUT);
			break;
		}
		if (l.module_len && module_symbol_is_void(&l))
			continue;
		name = add_name(k, &l);
		ok = l.module_len ? add_module(k, strings, &l, name) : add_kernel(k, &l, name);
	}
	if (!ok)
		return sm_error_nomem();
	sort_kernel(k);
	return NULL;
}

void sm_kallsyms_release(struct kallsyms *k)
{
	free(k->names);
	free(k->syms);
	free(k->mods);
	*k = (struct kallsyms){0};
}

/* How many of the n symbols start below `v`. The loop has no branch that can be mispredicted. */
static size_t count_below(const struct kernel_symbol *syms, size_t n, uint64_t v)
{
	const struct kernel_symbol *base = syms;

	if (!n)
		return 0;
	while (n > 1) {
		size_t half = n / 2;

		base += base[half - 1].addr < v ? half : 0;
		n -= half;
	}
	return (size_t)(base - syms) + (base->addr < v);
}

static bool within(uint64_t ip, uint64_t start, uint64_t end)
{
	return ip >= start && ip < end;
}

bool sm_kallsyms_holds(const struct kallsyms *k, uint64_t ip)
{
	uint64_t low = k->stext ? k->stext : k->text_low;
	uint64_t last;

	if (!low || ip < low)
		return false;
	/* Listed only with CONFIG_KALLSYMS_ALL: then all of the kernel is looked up, not only text.
	 */
	if (k->end)
		return ip < k->end;
	if (k->etext)
		return ip < k->etext || within(ip, k->sinittext, k->einittext);
	last = k->syms[k->n - 1].addr;
	return ip < last || ip - last < SYMBOL_REACH;
}

/* Where the kernel takes the end of a symbol that no other follows; 0 = not listed. */
static uint64_t end_of_all(const struct kallsyms *k, uint64_t ip)
{
	if (within(ip, k->sinittext, k->einittext))
		return k->einittext;
	return k->end ? k->end : k->etext;
}

bool sm_kallsyms_find(const struct kallsyms *k, uint64_t ip, struct sm_symbol *sym)
{
	size_t next, first;
	uint64_t start, end;

	next = ip == UINT64_MAX ? k->n : count_below(k->syms, k->n, ip + 1);
	if (!next)
		return false;
	first = next - 1;
	start = k->syms[first].addr;
	if (first && k->syms[first - 1].addr == start)
		first = count_below(k->syms, first, start);
	if (k->syms[first].name == NAME_CUT)
		return false;
	end = next < k->n ? k->syms[next].addr : end_of_all(k, ip);
	*sym = (struct sm_symbol){
		.name = k->names + k->syms[first].name,
		.start = start,
		.offset = ip - start,
		.size = end > start ? end - start : 0,
	};
	return true;
}

uint64_t sm_kallsyms_address(const struct kallsyms *k, const char *name)
{
	for (size_t i = 0; i < k->n; i++) {
		if (k->syms[i].name != NAME_CUT && strcmp(k->names + k->syms[i].name, name) == 0)
			return k->syms[i].addr;
	}
	return 0;
}
