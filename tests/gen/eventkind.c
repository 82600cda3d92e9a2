// SPDX-License-Identifier: GPL-2.0-or-later
/* eventkind: events, where their fields lie, and the format files that say so. */
#include "gen.h"

#include <stdlib.h>
#include <string.h>

/* @GFP in a print fmt stands for the names of the flags in gfp_flags. */
#define NODE_FMT "node=%d accounted=%s\", "
#define SITE "\"call_site=%pS ptr=%p "
#define SITE_ARGS "(void *)REC->call_site, REC->ptr"
#define STACK_FMT                                                                              \
	"\"\\t=> %ps\\n\\t=> %ps\\n\\t=> %ps\\n\" \"\\t=> %ps\\n\\t=> %ps\\n\\t=> %ps\\n\" "   \
	"\"\\t=> %ps\\n\\t=> %ps\\n\", (void *)REC->caller[0], (void *)REC->caller[1], (void " \
	"*)REC->caller[2], (void *)REC->caller[3], (void *)REC->caller[4], (void "             \
	"*)REC->caller[5], (void *)REC->caller[6], (void *)REC->caller[7]"
#define PAGE_OF "(((struct page *)vmemmap_base) + (REC->pfn))"

static const struct builtin {
	enum kernel_format since, until;
	uint16_t id;
	const char *system, *name;
	const char *fields[10];
	const char *print_fmt;
} builtins[] = {
	{K5_15, K5_15, 533, "kmem", "kmalloc",
		{"unsigned long call_site", "const void * ptr", "size_t bytes_req",
			"size_t bytes_alloc", "gfp_t gfp_flags"},
		SITE "bytes_req=%zu bytes_alloc=%zu gfp_flags=%s\", " SITE_ARGS
		     ", REC->bytes_req, REC->bytes_alloc, @GFP"},
	{K5_15, K5_15, 532, "kmem", "kmem_cache_alloc",
		{"unsigned long call_site", "const void * ptr", "size_t bytes_req",
			"size_t bytes_alloc", "gfp_t gfp_flags"},
		SITE "bytes_req=%zu bytes_alloc=%zu gfp_flags=%s\", " SITE_ARGS
		     ", REC->bytes_req, REC->bytes_alloc, @GFP"},
	{K5_15, K5_15, 531, "kmem", "kmalloc_node",
		{"unsigned long call_site", "const void * ptr", "size_t bytes_req",
			"size_t bytes_alloc", "gfp_t gfp_flags", "int node"},
		SITE "bytes_req=%zu bytes_alloc=%zu gfp_flags=%s node=%d\", " SITE_ARGS
		     ", REC->bytes_req, REC->bytes_alloc, @GFP, REC->node"},
	{K5_15, K5_15, 530, "kmem", "kmem_cache_alloc_node",
		{"unsigned long call_site", "const void * ptr", "size_t bytes_req",
			"size_t bytes_alloc", "gfp_t gfp_flags", "int node"},
		SITE "bytes_req=%zu bytes_alloc=%zu gfp_flags=%s node=%d\", " SITE_ARGS
		     ", REC->bytes_req, REC->bytes_alloc, @GFP, REC->node"},
	{K6_1, K7_2, 658, "kmem", "kmalloc",
		{"unsigned long call_site", "const void * ptr", "size_t bytes_req",
			"size_t bytes_alloc", "unsigned long gfp_flags", "int node"},
		SITE "bytes_req=%zu bytes_alloc=%zu gfp_flags=%s " NODE_FMT SITE_ARGS
		     ", REC->bytes_req, REC->bytes_alloc, @GFP, REC->node, (1 && (REC->gfp_flags & "
		     "@ACCOUNT)) ? \"true\" : \"false\""},
	{K6_1, K6_12, 659, "kmem", "kmem_cache_alloc",
		{"unsigned long call_site", "const void * ptr", "size_t bytes_req",
			"size_t bytes_alloc", "unsigned long gfp_flags", "int node",
			"bool accounted"},
		SITE "bytes_req=%zu bytes_alloc=%zu gfp_flags=%s " NODE_FMT SITE_ARGS
		     ", REC->bytes_req, REC->bytes_alloc, @GFP, REC->node, REC->accounted ? "
		     "\"true\" : \"false\""},
	{K6_18, K7_2, 659, "kmem", "kmem_cache_alloc",
		{"unsigned long call_site", "const void * ptr", "__data_loc char[] name",
			"size_t bytes_req", "size_t bytes_alloc", "unsigned long gfp_flags",
			"int node", "bool accounted"},
		SITE "name=%s bytes_req=%zu bytes_alloc=%zu gfp_flags=%s " NODE_FMT SITE_ARGS
		     ", __get_str(name), REC->bytes_req, REC->bytes_alloc, @GFP, REC->node, "
		     "REC->accounted ? \"true\" : \"false\""},
	{K5_15, K7_2, 657, "kmem", "kfree", {"unsigned long call_site", "const void * ptr"},
		"\"call_site=%pS ptr=%p\", " SITE_ARGS},
	{K5_15, K7_2, 656, "kmem", "kmem_cache_free",
		{"unsigned long call_site", "const void * ptr", "__data_loc char[] name"},
		SITE "name=%s\", " SITE_ARGS ", __get_str(name)"},
	{K5_15, K5_15, 527, "kmem", "mm_page_alloc",
		{"unsigned long pfn", "unsigned int order", "gfp_t gfp_flags", "int migratetype"},
		"\"page=%p pfn=0x%lx order=%d migratetype=%d gfp_flags=%s\", REC->pfn != -1UL "
		"? " PAGE_OF " : ((void *)0), REC->pfn != -1UL ? REC->pfn : 0, REC->order, "
		"REC->migratetype, @GFP"},
	{K6_1, K7_2, 653, "kmem", "mm_page_alloc",
		{"unsigned long pfn", "unsigned int order", "unsigned long gfp_flags",
			"int migratetype"},
		"\"page=%p pfn=0x%lx order=%d migratetype=%d gfp_flags=%s\", REC->pfn != -1UL "
		"? " PAGE_OF " : ((void *)0), REC->pfn != -1UL ? REC->pfn : 0, REC->order, "
		"REC->migratetype, @GFP"},
	{K5_15, K7_2, 655, "kmem", "mm_page_free", {"unsigned long pfn", "unsigned int order"},
		"\"page=%p pfn=0x%lx order=%d\", " PAGE_OF ", REC->pfn, REC->order"},
	{K5_15, K7_2, 654, "kmem", "mm_page_free_batched", {"unsigned long pfn"},
		"\"page=%p pfn=0x%lx order=0\", " PAGE_OF ", REC->pfn"},
	{K5_15, K7_2, 372, "sched", "sched_switch",
		{"char prev_comm[16]", "pid_t prev_pid", "int prev_prio", "long prev_state",
			"char next_comm[16]", "pid_t next_pid", "int next_prio"},
		"\"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%ld ==> next_comm=%s "
		"next_pid=%d next_prio=%d\", REC->prev_comm, REC->prev_pid, REC->prev_prio, "
		"REC->prev_state, REC->next_comm, REC->next_pid, REC->next_prio"},
	{K5_15, K7_2, 4, "ftrace", "kernel_stack", {"int size", "unsigned long caller[8]"},
		STACK_FMT},
	{K5_15, K6_12, 12, "ftrace", "user_stack", {"unsigned int tgid", "unsigned long caller[8]"},
		STACK_FMT},
	{K6_18, K7_2, 13, "ftrace", "user_stack", {"unsigned int tgid", "unsigned long caller[8]"},
		STACK_FMT},
	{K5_15, K7_2, 21, "ftrace", "stack_id", {"int stack_id"},
		"\"<stack_id %d>\", REC->stack_id"},
};

static uint32_t type_size(const struct gen *g, const char *type, size_t len, bool *is_signed)
{
	static const struct {
		const char *name;
		uint32_t size; /* 0 = a long */
		bool is_signed;
	} types[] = {
		{"char", 1, true},
		{"unsigned char", 1, false},
		{"u8", 1, false},
		{"s8", 1, true},
		{"bool", 1, false},
		{"short", 2, true},
		{"unsigned short", 2, false},
		{"u16", 2, false},
		{"s16", 2, true},
		{"int", 4, true},
		{"unsigned int", 4, false},
		{"unsigned", 4, false},
		{"u32", 4, false},
		{"s32", 4, true},
		{"pid_t", 4, true},
		{"gfp_t", 4, false},
		{"long", 0, true},
		{"unsigned long", 0, false},
		{"size_t", 0, false},
		{"u64", 8, false},
		{"s64", 8, true},
		{"long long", 8, true},
		{"unsigned long long", 8, false},
		{"__data_loc char[]", 4, false},
	};

	*is_signed = false;
	if (len && type[len - 1] == '*')
		return g->k.long_size;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strlen(types[i].name) == len && !memcmp(types[i].name, type, len)) {
			*is_signed = types[i].is_signed;
			return types[i].size ? types[i].size : g->k.long_size;
		}
	gen_die(g, "unknown type '%.*s'", (int)len, type);
}

struct event_kind *kind_add(struct gen *g, const char *system, const char *name, uint16_t id)
{
	struct event_kind *kind;

	/* statements hold pointers to kinds: a fixed table that never moves */
	if (!g->kinds)
		gen_grow(g, &g->kinds, &g->kinds_cap, 256, sizeof(*g->kinds));
	if (g->nkinds == g->kinds_cap)
		gen_die(g, "too many event formats");
	kind = &g->kinds[g->nkinds++];
	kind->system = gen_strdup(g, system, strlen(system));
	kind->name = gen_strdup(g, name, strlen(name));
	kind->id = id;
	kind->end = g->common_size;
	return kind;
}

void kind_field(struct gen *g, struct event_kind *kind, const char *decl)
{
	const char *name = strrchr(decl, ' ');
	const char *bracket;
	struct field *f;
	uint32_t size, align;

	if (!name || kind->nfields == MAX_FIELDS)
		gen_die(g, "bad field '%s'", decl);
	f = &kind->fields[kind->nfields++];
	f->decl = gen_strdup(g, decl, (size_t)(name - decl));
	f->name = gen_strdup(g, name + 1, strlen(name + 1));
	bracket = strchr(f->name, '[');
	f->name_len = bracket ? (size_t)(bracket - f->name) : strlen(f->name);
	f->dynamic = !strncmp(decl, "__data_loc", 10);
	align = size = type_size(g, f->decl, strlen(f->decl), &f->is_signed);
	if (bracket) {
		f->chars = size == 1;
		size *= (uint32_t)strtoul(bracket + 1, NULL, 10);
		/* the kernel calls char arrays unsigned, and so are those of longs */
		f->is_signed = false;
	}
	f->offset = (kind->end + align - 1) / align * align;
	f->size = size;
	kind->end = f->offset + size;
	if (kind->end > MAX_PAYLOAD / 2)
		gen_die(g, "the fields of '%s' are too large", kind->name);
}

void kind_finish(struct gen *g, struct event_kind *kind)
{
	uint32_t align = 4; /* common_pid's */

	for (unsigned i = 0; i < kind->nfields; i++) {
		bool is_signed;
		uint32_t a = type_size(
			g, kind->fields[i].decl, strlen(kind->fields[i].decl), &is_signed);

		align = a > align ? a : align;
	}
	kind->size = (kind->end + align - 1) / align * align;
}

struct event_kind *kind_find(struct gen *g, const char *system, const char *name)
{
	for (size_t i = g->nkinds; i-- > 0;)
		if (!strcmp(g->kinds[i].name, name) &&
			(!system || !strcmp(g->kinds[i].system, system)))
			return &g->kinds[i];
	return NULL;
}

unsigned kind_field_index(const struct event_kind *kind, const char *name, size_t len)
{
	for (unsigned i = 0; i < kind->nfields; i++)
		if (kind->fields[i].name_len == len && !memcmp(kind->fields[i].name, name, len))
			return i;
	return MAX_FIELDS;
}

void kinds_init(struct gen *g)
{
	g->common_size = g->k.extra_common ? 16 : g->k.rt_common ? 12 : 8;
	for (size_t i = 0; i < sizeof(builtins) / sizeof(builtins[0]); i++) {
		const struct builtin *b = &builtins[i];
		struct event_kind *kind;

		if (g->k.format < b->since || g->k.format > b->until)
			continue;
		if (!strcmp(b->name, "stack_id") && !g->k.stack_id)
			continue;
		kind = kind_add(g, b->system, b->name, b->id);
		for (unsigned f = 0; b->fields[f]; f++)
			if (!g->k.old_stack || strcmp(b->fields[f], "int size"))
				kind_field(g, kind, b->fields[f]);
		kind->print_fmt = gen_strdup(g, b->print_fmt, strlen(b->print_fmt));
		kind_finish(g, kind);
	}
}

static void write_field(FILE *out, const char *decl, const char *name, unsigned offset,
	unsigned size, bool is_signed)
{
	fprintf(out, "\tfield:%s %s;\toffset:%u;\tsize:%u;\tsigned:%d;\n", decl, name, offset, size,
		is_signed);
}

void kind_write(const struct gen *g, const struct event_kind *kind, FILE *out)
{
	const char *fmt = kind->print_fmt ? kind->print_fmt : "\"\"";

	fprintf(out, "name: %s\nID: %u\nformat:\n", kind->name, kind->id);
	write_field(out, "unsigned short", "common_type", 0, 2, false);
	write_field(out, "unsigned char", "common_flags", 2, 1, false);
	write_field(out, "unsigned char", "common_preempt_count", 3, 1, false);
	write_field(out, "int", "common_pid", 4, 4, true);
	if (g->k.extra_common)
		write_field(out, "unsigned long long", "common_extra", 8, 8, false);
	if (g->k.rt_common) {
		write_field(out, "unsigned char", "common_migrate_disable", 8, 1, false);
		write_field(out, "unsigned char", "common_preempt_lazy_count", 9, 1, false);
	}
	fputc('\n', out);
	for (unsigned i = 0; i < kind->nfields; i++) {
		const struct field *f = &kind->fields[i];

		write_field(out, f->decl, f->name, f->offset, f->size, f->is_signed);
	}
	fputs("\nprint fmt: ", out);
	for (const char *s = fmt; *s; s++) {
		if (!strncmp(s, "@GFP", 4)) {
			gfp_print_fmt(&g->k, "REC->gfp_flags", out);
			s += 3;
		} else if (!strncmp(s, "@ACCOUNT", 8)) {
			if (g->k.format >= K6_12)
				fprintf(out, "( unsigned long)(( gfp_t)((((1UL))) << (%u)))",
					22 + g->k.gfp_shift);
			else
				fprintf(out, "( unsigned long)(( gfp_t)0x%xu)",
					0x400000u << g->k.gfp_shift);
			s += 7;
		} else {
			fputc(*s, out);
		}
	}
	fputc('\n', out);
}
