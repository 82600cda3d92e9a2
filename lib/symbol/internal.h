/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symbol's own: the parsed kallsyms, and the modules' ranges. All read-only once built. */
#ifndef SMTOOL_SYMBOL_INTERNAL_H
#define SMTOOL_SYMBOL_INTERNAL_H

#include <smtool/symbol.h>

/* Offsets into the names, ids and counts are 32 bits wide. A kernel's kallsyms is 5 to 20 MB. */
#define KALLSYMS_MAX (UINT64_C(256) << 20)
#define MODULES_MAX (UINT64_C(16) << 20)
#define NOTES_MAX (UINT64_C(1) << 20)

/* Where nothing says how far the last symbol of a region goes, an address this much after its start
 * no longer belongs to it. */
#define SYMBOL_REACH UINT64_C(0x10000)

/* A symbol whose name is cut: it ends the one before, and is never found itself. */
#define NAME_CUT UINT32_MAX

struct module_symbol {
	uint64_t addr;
	uint32_t name;
	uint32_t module; /* id in `strings` */
	uint32_t seq;    /* its place in the file */
	char type;
};

struct kernel_symbol {
	uint64_t addr;
	uint32_t name;
	uint32_t seq; /* its place in the file */
};

struct kallsyms {
	char *names; /* each NUL-terminated, at the offsets that follow */
	size_t names_len;
	/* The kernel proper, by address; aliases in the file's order. */
	struct kernel_symbol *syms;
	size_t n, cap;
	/* In the file's order; sm_modules_build() sorts them. */
	struct module_symbol *mods;
	size_t nmods, mods_cap;
	/* Of the kernel proper, 0 = not listed. */
	uint64_t stext, etext, sinittext, einittext, end;
	uint64_t text_low; /* the lowest of text type */
	size_t skipped;    /* lines that aren't symbols */
	bool nonzero;      /* some address is */
	bool stub;         /* the file that says where the real System.map is */
};

/* Adds the symbols of `text`, once; the modules' names go to `strings`. The only error is
 * SM_E_NOMEM. */
struct sm_error *sm_kallsyms_parse(
	struct kallsyms *k, struct sm_strings *strings, const void *text, size_t len) SM_MUST_CHECK;
/* Takes note of the bounds among the kernel's own symbols: for who fills k->syms itself. */
void sm_kallsyms_note(struct kallsyms *k, const char *name, size_t len, uint64_t addr, char type);
void sm_kallsyms_release(struct kallsyms *k);
bool sm_kallsyms_find(const struct kallsyms *k, uint64_t ip, struct sm_symbol *sym);
/* Whether the kernel itself looks `ip` up among its own symbols. */
bool sm_kallsyms_holds(const struct kallsyms *k, uint64_t ip);
uint64_t sm_kallsyms_address(const struct kallsyms *k, const char *name);
bool sm_symbol_type_is_text(char type);

/* Memory for a large table, to be given to free(). It asks for huge pages: touching small ones for
 * the first time costs more than parsing what goes there. */
void *sm_table_alloc(size_t size);

/* Hexadecimal at *p, at most 16 digits, `end` the bound; moves *p behind it. */
bool sm_take_address(const char **p, const char *end, uint64_t *v);

struct module {
	uint64_t base, end; /* end 0 = has no range */
	uint32_t first, n;  /* in kallsyms.mods */
	char *build_id;     /* NULL = unknown */
};

struct modules {
	struct sm_strings strings; /* names; their ids index `items` */
	struct module *items;
	size_t n, cap;
	uint32_t *by_base; /* ids of those with a range */
	size_t nranges;
	/* What bpf, ftrace and kprobes list under a module's name that no module has, by address.
	 */
	struct module_symbol *loose;
	size_t nloose;
};

/* The lines of /proc/modules. Those that make no sense, or hide the base, are skipped. */
struct sm_error *sm_modules_parse(struct modules *m, const void *text, size_t len) SM_MUST_CHECK;
/* Reads sys/module/NAME/notes of each module in `src`. */
/* The build id in a member that holds notes, as hex; *id is the caller's to free, NULL where there
 * is none or it can't be read. Only a lack of memory is an error. */
struct sm_error *sm_build_id_read(
	const struct sm_source *src, const char *member, char **id) SM_MUST_CHECK;
struct sm_error *sm_modules_read_build_ids(
	struct modules *m, const struct sm_source *src) SM_MUST_CHECK;
/* Takes k->mods over into order: call once, last. */
struct sm_error *sm_modules_build(struct modules *m, struct kallsyms *k) SM_MUST_CHECK;
void sm_modules_release(struct modules *m);
bool sm_modules_find(
	const struct modules *m, const struct kallsyms *k, uint64_t ip, struct sm_symbol *sym);
/* The name of the module in whose range an address lies; NULL = none. */
const char *sm_modules_at(const struct modules *m, uint64_t ip);
/* NULL when there is none of that name. */
const struct module *sm_modules_get(const struct modules *m, const char *name);

#endif
