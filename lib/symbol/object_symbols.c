/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbols of an ELF file in the order and choice of the kernel that it becomes: `nm -n`,
 * scripts/mksysmap, scripts/kallsyms for a vmlinux, kernel/module/kallsyms.c for a module.
 */
#include "object_file.h"

#include <stdlib.h>

/* KSYM_NAME_LEN; with its NUL. */
#define KERNEL_NAME_MAX 512

/* What decides between names of one address, the most important first. */
#define RANK_WEAK UINT32_C(0x80000000)
#define RANK_LINKER UINT32_C(0x40000000)
/* below these: how many underscores it begins with */

struct candidate {
	uint64_t addr;
	const char *name;
	uint32_t len;
	uint32_t rank; /* in a module: its place in the table, the only thing that counts */
	char type;     /* as nm's */
	uint8_t class;
};

struct candidates {
	struct candidate *items;
	size_t n, cap;
};

/* Whether a kernel lists these depends on its version and configuration. */
enum {
	CLASS_DATA = 1,   /* outside of code: with CONFIG_KALLSYMS_ALL */
	CLASS_BOUND = 2,  /* there, but __start_X or __stop_X: with that, or since 6.10 */
	CLASS_LIST = 4,   /* the list itself: since 6.3 */
	CLASS_EXPORT = 8, /* the strings of EXPORT_SYMBOL: before 6.2 */
	CLASS_MARK = 16,  /* the assembler's in arm64's early code: before 6.3 */
	CLASS_N = 32
};
#define CLASS_USUAL (CLASS_DATA | CLASS_BOUND | CLASS_LIST)

static bool starts_with(const char *s, const char *prefix)
{
	/* No call: nearly all differ at once. */
	while (*prefix) {
		if (*s++ != *prefix++)
			return false;
	}
	return true;
}

static bool ends_with(const struct candidate *c, const char *suffix)
{
	size_t len = strlen(suffix);

	return c->len >= len && memcmp(c->name + c->len - len, suffix, len) == 0;
}

/* nm's letter for what is in a section; BFD goes by the name of some. */
static char section_letter(const struct object_section *s)
{
	static const struct {
		const char *name;
		char letter;
	} named[] = {
		{".bss", 'b'},
		{".data", 'd'},
		{".debug", 'n'},
		{".fini", 't'},
		{".init", 't'},
		{".rodata", 'r'},
		{".sbss", 's'},
		{".sdata", 'g'},
		{".text", 't'},
	};

	for (size_t i = 0; i < SM_ARRAY_SIZE(named); i++) {
		size_t len = strlen(named[i].name);

		if (strncmp(s->name, named[i].name, len) == 0 &&
			(!s->name[len] || strchr(".$0123456789", s->name[len])))
			return named[i].letter;
	}
	if (s->flags & SHF_EXECINSTR)
		return 't';
	if (s->type == SHT_NOBITS)
		return 'b';
	if (!(s->flags & SHF_ALLOC))
		return s->flags & SHF_WRITE ? '?' : 'n';
	return s->flags & SHF_WRITE ? 'd' : 'r';
}

/* nm's letter, 0 for what it doesn't list. */
static char symbol_letter(const struct object *obj, const struct elf_symbol *sym)
{
	unsigned bind = ELF64_ST_BIND(sym->info), type = ELF64_ST_TYPE(sym->info);
	char letter;

	if (type == STT_SECTION || type == STT_FILE || !*sym->name)
		return 0;
	if (sym->special == SHN_COMMON)
		return 'C';
	if (!sym->special && (!sym->section || sym->section >= obj->nsections))
		return bind == STB_WEAK ? 'w' : 'U';
	if (type == STT_GNU_IFUNC)
		return 'i';
	if (bind == STB_WEAK)
		return type == STT_OBJECT ? 'V' : 'W';
	if (bind == STB_GNU_UNIQUE)
		return 'u';
	letter = sym->special ? 'a' : section_letter(&obj->sections[sym->section]);
	return bind == STB_LOCAL || letter == '?' ? letter : (char)(letter - 'a' + 'A');
}

/* The kernel's own guess which names the linker script makes. */
static bool is_linker_made(const struct candidate *c)
{
	if (c->len < 8 || !starts_with(c->name, "__"))
		return false;
	return starts_with(c->name, "__start_") || starts_with(c->name, "__stop_") ||
	       starts_with(c->name, "__end_") || ends_with(c, "_start") || ends_with(c, "_end");
}

/* lld's: __AArch64ADRPThunk_X, __ARMv7ABSLongThunk_X... */
static bool is_thunk(const char *name)
{
	const char *end = strchr(name + 2, '_');

	return end && end - name >= 7 && memcmp(end - 5, "Thunk", 5) == 0;
}

/* Of those that begin with two underscores */
static bool is_reserved_left_out(const char *name)
{
	static const char *const prefixes[] = {
		"__crc_",
		"__efistub_",
		"__kcfi_typeid_",
		"__kvm_nvhe_$",
		"__kvm_nvhe_.L",
		"__kvm_nvhe___kcfi_typeid_",
		"__mod_device_table__",
		"__pi___kcfi_typeid_",
		"__UNIQUE_ID_modinfo_",
	};

	for (size_t i = 0; i < SM_ARRAY_SIZE(prefixes); i++) {
		/* Most names differ here already. */
		if (prefixes[i][2] == name[2] && starts_with(name, prefixes[i]))
			return true;
	}
	return is_thunk(name);
}

/* Names that no kernel lists */
static bool is_left_out(const struct candidate *c)
{
	const char *name = c->name;

	switch (c->type) {
	case 'A':
	case 'N':
	case 'U':
	case 'a':
	case 'n':
	case 'u':
	case 'w':
		return true;
	}
	switch (name[0]) {
	case '$':
		return true;
	case '.':
		if (name[1] == 'L')
			return true;
		break;
	case 'L':
		if (strcmp(name, "L0") == 0)
			return true;
		break;
	case '_':
		if (name[1] == '_' && is_reserved_left_out(name))
			return true;
		if (strcmp(name, "_SDA_BASE_") == 0 || strcmp(name, "_SDA2_BASE_") == 0)
			return true;
		break;
	}
	switch (name[c->len - 1]) {
	case 'm':
		return ends_with(c, "_from_arm");
	case 'b':
		return ends_with(c, "_from_thumb");
	case 'r':
		return ends_with(c, "_veneer");
	}
	name = strchr(name, '.');
	return name && (strstr(name, ".long_branch.") || strstr(name, ".plt_branch."));
}

static uint8_t name_class(const char *name)
{
	static const char *const list[] = {
		"addresses",
		"markers",
		"names",
		"num_syms",
		"offsets",
		"relative_base",
		"seqs_of_names",
		"token_index",
		"token_table",
	};

	if (starts_with(name, "__kstrtab_") || starts_with(name, "__kstrtabns_"))
		return CLASS_EXPORT;
	if (starts_with(name, "__pi_$") || starts_with(name, "__pi_.L"))
		return CLASS_MARK;
	if (starts_with(name, "kallsyms_")) {
		for (size_t i = 0; i < SM_ARRAY_SIZE(list); i++) {
			if (strcmp(name + 9, list[i]) == 0)
				return CLASS_LIST;
		}
	}
	return 0;
}

static int compare_kernel(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return strcmp(x->name, y->name); /* nm's order */
}

static int compare_module(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* Of a module: whether the kernel has memory for what the symbol names. */
static bool is_loaded(const struct object *obj, const struct elf_symbol *sym)
{
	const struct object_section *s;

	if (!sym->section || sym->section >= obj->nsections)
		return false;
	s = &obj->sections[sym->section];
	return (s->flags & SHF_ALLOC) && strcmp(s->name, ".modinfo") != 0 &&
	       !starts_with(s->name, "__version");
}

/* The assembler's marks, which the kernel never names. */
static bool is_mark(const char *name)
{
	return name[0] == '$' || starts_with(name, ".L") || starts_with(name, "L0");
}

static struct sm_error *collect(
	const struct object *obj, const struct symbol_table *table, struct candidates *list)
{
	bool module = obj->type == ET_REL;

	list->items = sm_table_alloc((table->n + 1) * sizeof(*list->items));
	if (!list->items)
		return sm_error_nomem();
	list->cap = table->n + 1;
	for (size_t i = 1; i < table->n; i++) {
		struct candidate c;
		struct elf_symbol sym;

		sm_symbol_table_get(table, i, &sym);
		c.class = 0;
		c.type = symbol_letter(obj, &sym);
		if (!c.type)
			continue;
		c.name = sym.name;
		c.len = (uint32_t)strnlen(sym.name, KERNEL_NAME_MAX);
		c.addr = sm_elf_symbol_address(obj, &sym);
		if (module) {
			if (!is_loaded(obj, &sym) || is_mark(c.name))
				continue;
			if (c.len == KERNEL_NAME_MAX)
				c.len--;
			c.rank = (uint32_t)i;
		} else {
			if (c.len == KERNEL_NAME_MAX || is_left_out(&c))
				continue;
			c.class = name_class(c.name);
			c.rank = (uint32_t)strspn(c.name, "_");
			if (c.type == 'W')
				c.rank |= RANK_WEAK;
			if (is_linker_made(&c))
				c.rank |= RANK_LINKER;
		}
		list->items[list->n++] = c;
	}
	return NULL;
}

/* Where code is: _stext to _etext, _sinittext to _einittext. */
struct text {
	uint64_t start, end, init_start, init_end;
};

static void find_text(const struct candidates *list, struct text *text)
{
	*text = (struct text){0};
	for (size_t i = 0; i < list->n; i++) {
		const struct candidate *c = &list->items[i];

		if (c->name[0] != '_')
			continue;
		if (strcmp(c->name, "_stext") == 0)
			text->start = c->addr;
		else if (strcmp(c->name, "_etext") == 0)
			text->end = c->addr;
		else if (strcmp(c->name, "_sinittext") == 0)
			text->init_start = c->addr;
		else if (strcmp(c->name, "_einittext") == 0)
			text->init_end = c->addr;
	}
}

/* Others' names at the very ends of code are left out like those of data: they would move when the
 * list itself is linked in. */
static uint8_t place_class(const struct candidate *c, const struct text *text)
{
	if ((c->addr >= text->start && c->addr <= text->end) ||
		(c->addr >= text->init_start && c->addr <= text->init_end)) {
		if ((c->addr != text->end || strcmp(c->name, "_etext") == 0) &&
			(c->addr != text->init_end || strcmp(c->name, "_einittext") == 0))
			return 0;
	}
	return starts_with(c->name, "__start_") || starts_with(c->name, "__stop_") ? CLASS_BOUND
										   : CLASS_DATA;
}

/* How many symbols the kernel itself says it lists; false where that can't be read. */
static bool read_count(struct object *obj, const struct candidates *list, uint32_t *count)
{
	for (size_t i = 0; i < list->n; i++) {
		const uint8_t *p;
		size_t len;

		if (strcmp(list->items[i].name, "kallsyms_num_syms") != 0)
			continue;
		p = sm_object_code(obj, list->items[i].addr, &len);
		if (!p || len < 4)
			return false;
		*count = sm_load32(p, obj->swap);
		return true;
	}
	return false;
}

/* The classes that make up this number of symbols; where several do, the usual ones, or few. */
static unsigned find_classes(const size_t counts[CLASS_N], uint32_t count)
{
	unsigned found = CLASS_USUAL;
	bool any = false;

	for (unsigned wanted = 0; wanted < CLASS_N; wanted++) {
		size_t n = 0;

		if ((wanted & CLASS_DATA) && !(wanted & CLASS_BOUND))
			continue;
		for (unsigned kind = 0; kind < CLASS_N; kind++)
			n += (kind & ~wanted) ? 0 : counts[kind];
		if (n == count && (!any || wanted == CLASS_USUAL)) {
			found = wanted;
			any = true;
		}
	}
	return found;
}

/* Keeps what the kernel lists. Only the number of its symbols tells which classes it has; where
 * that fits nothing, as distributions do it today. */
static void choose(struct object *obj, struct candidates *list)
{
	unsigned wanted = CLASS_USUAL;
	size_t counts[CLASS_N] = {0}, n = 0;
	struct text text;
	uint32_t count;

	find_text(list, &text);
	for (size_t i = 0; i < list->n; i++) {
		struct candidate *c = &list->items[i];

		c->class |= place_class(c, &text);
		counts[c->class]++;
	}
	if (read_count(obj, list, &count))
		wanted = find_classes(counts, count);
	for (size_t i = 0; i < list->n; i++) {
		if (!(list->items[i].class & ~wanted))
			list->items[n++] = list->items[i];
	}
	list->n = n;
}

/* In a module, the last symbol of each region reaches to its end, and no further. */
static struct sm_error *add_ends(const struct object *obj, struct candidates *list)
{
	for (size_t i = 0; i < SM_ARRAY_SIZE(obj->priv->region_ends); i++) {
		uint64_t end = obj->priv->region_ends[i];

		if (!end)
			continue;
		if (!sm_grow(&list->items, &list->cap, list->n + 1, sizeof(*list->items)))
			return sm_error_nomem();
		list->items[list->n++] = (struct candidate){.addr = end, .rank = UINT32_MAX};
	}
	return NULL;
}

static struct sm_error *fill(
	const struct object *obj, const struct candidates *list, struct kallsyms *k)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < list->n; i++)
		bytes += list->items[i].len + 1;
	if (bytes >= NAME_CUT)
		return sm_object_fault(obj, 0, "too many symbols", "their names have %llu bytes",
			(unsigned long long)bytes);
	k->names = sm_table_alloc(bytes ? (size_t)bytes : 1);
	k->syms = sm_table_alloc((list->n ? list->n : 1) * sizeof(*k->syms));
	if (!k->names || !k->syms)
		return sm_error_nomem();
	k->cap = list->n;
	for (size_t i = 0; i < list->n; i++) {
		const struct candidate *c = &list->items[i];
		struct kernel_symbol *s = &k->syms[k->n];

		*s = (struct kernel_symbol){c->addr, NAME_CUT, (uint32_t)k->n};
		k->n++;
		k->nonzero |= c->addr != 0;
		if (!c->name)
			continue;
		s->name = (uint32_t)k->names_len;
		memcpy(k->names + k->names_len, c->name, c->len);
		k->names_len += c->len;
		k->names[k->names_len++] = '\0';
		sm_kallsyms_note(k, c->name, c->len, c->addr, c->type);
	}
	return NULL;
}

/* 0 = there is none. */
static uint32_t find_table(const struct object *obj)
{
	for (size_t i = 1; i < obj->nsections; i++) {
		if (obj->sections[i].type == SHT_SYMTAB)
			return (uint32_t)i;
	}
	return 0;
}

struct sm_error *sm_object_symbols(struct object *obj, struct kallsyms *k)
{
	struct candidates list = {0};
	struct symbol_table table;
	uint32_t index = find_table(obj);
	struct sm_error *err;

	*k = (struct kallsyms){0};
	if (!index)
		return NULL;
	err = sm_symbol_table_open(obj, index, &table);
	if (!err)
		err = collect(obj, &table, &list);
	if (!err && list.n && obj->type == ET_REL)
		err = add_ends(obj, &list);
	else if (!err && list.n)
		choose(obj, &list);
	if (!err && list.n) {
		qsort(list.items, list.n, sizeof(*list.items),
			obj->type == ET_REL ? compare_module : compare_kernel);
		err = fill(obj, &list, k);
	}
	free(list.items);
	if (err)
		sm_kallsyms_release(k);
	return err;
}

uint64_t sm_object_address(const struct object *obj, const char *name)
{
	uint32_t index = find_table(obj);
	struct symbol_table table;
	struct sm_error *err;

	if (!index)
		return 0;
	err = sm_symbol_table_open(obj, index, &table);
	if (err) {
		sm_error_free(err);
		return 0;
	}
	/* The local ones come first; sh_info says how many there are. */
	for (size_t i = obj->priv->files[index].info; i < table.n; i++) {
		struct elf_symbol sym;

		sm_symbol_table_get(&table, i, &sym);
		if (strcmp(sym.name, name) == 0 && (sym.section || sym.special == SHN_ABS))
			return sm_elf_symbol_address(obj, &sym);
	}
	return 0;
}
