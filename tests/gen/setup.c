// SPDX-License-Identifier: GPL-2.0-or-later
/* setup: the statements that describe the system, which take effect where they are read. */
#include "gen.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct line {
	struct gen *g;
	struct text *words;
	size_t n;
	const char *rest;
};

static void want(const struct line *l, size_t min, size_t max)
{
	if (l->n - 1 < min || l->n - 1 > max)
		gen_die(l->g, "'%s' has %zu words where %zu to %zu belong", l->words[0].s, l->n - 1,
			min, max);
}

uint64_t setup_number(struct gen *g, const char *s)
{
	const struct expr *e = expr_parse(g, s);

	if (e->op != '#')
		gen_die(g, "'%s' must be a constant here", s);
	return e->value;
}

struct text setup_hex(struct gen *g, const char *s)
{
	struct text t = {gen_alloc(g, strlen(s) / 2 + 1), 0};

	for (; *s; s += 2) {
		char pair[3] = {s[0], s[1], 0};

		if (!isxdigit((unsigned char)s[0]) || !isxdigit((unsigned char)s[1]))
			gen_die(g, "'%s' is no pair of hex digits", pair);
		t.s[t.len++] = (char)strtoul(pair, NULL, 16);
	}
	return t;
}

static void kernel_format(struct gen *g, const char *s)
{
	static const char *const names[] = {"5.15", "6.1", "6.12", "6.18", "7.2"};

	for (unsigned i = 0; i < 5; i++)
		if (!strcmp(names[i], s)) {
			g->k.format = (enum kernel_format)i;
			g->k.format_name = names[i];
			g->k.stack_id |= g->k.format == K7_2;
			return;
		}
	gen_die(g, "unknown format '%s': 5.15, 6.1, 6.12, 6.18 or 7.2", s);
}

static void set_kernel(struct line *l)
{
	struct kernel *k = &l->g->k;

	if (l->g->kernel_seen)
		gen_die(l->g, "a second kernel line");
	for (size_t i = 1; i < l->n; i++) {
		const char *w = l->words[i].s;
		const char *next = i + 1 < l->n ? l->words[i + 1].s : "";

		if (!strcmp(w, "le") || !strcmp(w, "be"))
			k->big_endian = *w == 'b';
		else if (!strcmp(w, "32") || !strcmp(w, "64"))
			k->long_size = *w == '3' ? 4 : 8;
		else if (!strcmp(w, "page"))
			k->page_size = (uint32_t)setup_number(l->g, next), i++;
		else if (!strcmp(w, "format"))
			kernel_format(l->g, next), i++;
		else if (!strcmp(w, "gfp-shift"))
			k->gfp_shift = (unsigned)setup_number(l->g, next) & 7, i++;
		else if (!strcmp(w, "extra-common"))
			k->extra_common = true;
		else if (!strcmp(w, "rt-common"))
			k->rt_common = true;
		else if (!strcmp(w, "align8"))
			k->align8 = true;
		else if (!strcmp(w, "old-stack"))
			k->old_stack = true;
		else if (!strcmp(w, "stack-id"))
			k->stack_id = true;
		else
			gen_die(l->g, "unknown '%s' in the kernel line", w);
	}
	if (k->page_size < 64 || k->page_size > 1u << 24)
		gen_die(l->g, "a page has 64 bytes to 16 MiB");
	l->g->kernel_seen = true;
	kinds_init(l->g);
}

static void set_clock(struct line *l)
{
	want(l, 1, 1);
	l->g->clock = l->words[1].s;
}

static void set_release(struct line *l)
{
	want(l, 1, 1);
	l->g->release = l->words[1].s;
}

static void set_boot_id(struct line *l)
{
	want(l, 1, 1);
	l->g->boot_id = l->words[1].s;
}

static void set_build_id(struct line *l)
{
	want(l, 1, 1);
	l->g->buildid = setup_hex(l->g, l->words[1].s);
}

static void add_symbol(struct line *l)
{
	struct gen *g = l->g;
	struct symbol *s;

	want(l, 2, 4);
	gen_grow(g, &g->symbols, &g->symbols_cap, g->nsymbols + 1, sizeof(*g->symbols));
	s = &g->symbols[g->nsymbols];
	s->addr = setup_number(g, l->words[1].s);
	s->name = l->words[2];
	s->type = 't';
	for (size_t i = 3; i < l->n; i++) {
		if (!strncmp(l->words[i].s, "type=", 5))
			s->type = l->words[i].s[5];
		else
			s->module = l->words[i].s;
	}
	g->nsymbols++;
}

static void set_restricted(struct line *l)
{
	want(l, 0, 0);
	l->g->restricted = true;
}

static void add_module(struct line *l)
{
	struct gen *g = l->g;
	struct module *m;

	want(l, 3, 4);
	gen_grow(g, &g->modules, &g->modules_cap, g->nmodules + 1, sizeof(*g->modules));
	m = &g->modules[g->nmodules++];
	m->name = l->words[1].s;
	m->addr = setup_number(g, l->words[2].s);
	m->size = setup_number(g, l->words[3].s);
	if (l->n == 5 && !strncmp(l->words[4].s, "buildid=", 8))
		m->buildid = setup_hex(g, l->words[4].s + 8);
	else if (l->n == 5)
		gen_die(g, "unknown '%s'", l->words[4].s);
}

static void add_comm(struct line *l)
{
	bool tgid = !strcmp(l->words[0].s, "tgid");
	struct gen *g = l->g;
	struct comm *c;

	want(l, 2, 2);
	if (tgid) {
		gen_grow(g, &g->tgids, &g->tgids_cap, g->ntgids + 1, sizeof(*c));
		c = &g->tgids[g->ntgids++];
	} else {
		gen_grow(g, &g->comms, &g->comms_cap, g->ncomms + 1, sizeof(*c));
		c = &g->comms[g->ncomms++];
	}
	c->pid = setup_number(g, l->words[1].s);
	c->name = l->words[2];
}

static void set_json(struct line *l)
{
	size_t len = strcspn(l->rest, "\r\n");

	l->g->json.s = gen_strdup(l->g, l->rest, len);
	l->g->json.len = len;
}

static void add_file(struct line *l)
{
	struct gen *g = l->g;

	want(l, 2, 2);
	gen_grow(g, &g->files, &g->files_cap, g->nfiles + 1, sizeof(*g->files));
	g->files[g->nfiles].path = l->words[1].s;
	g->files[g->nfiles++].data = l->words[2];
}

static void add_omit(struct line *l)
{
	struct gen *g = l->g;

	want(l, 1, 1);
	gen_grow(g, &g->omits, &g->omits_cap, g->nomits + 1, sizeof(char *));
	g->omits[g->nomits++] = l->words[1].s;
}

static void add_format(struct line *l)
{
	struct event_kind *kind;

	want(l, 3, 3 + MAX_FIELDS);
	kind = kind_add(
		l->g, l->words[1].s, l->words[2].s, (uint16_t)setup_number(l->g, l->words[3].s));
	for (size_t i = 4; i < l->n; i++) {
		if (!strncmp(l->words[i].s, "fmt=", 4))
			kind->print_fmt = l->words[i].s + 4;
		else
			kind_field(l->g, kind, l->words[i].s);
	}
	kind_finish(l->g, kind);
}

static void add_stats(struct line *l)
{
	static const char *const keys[] = {
		"entries", "overrun", "commit_overrun", "bytes", "dropped", "read"};
	struct gen *g = l->g;
	struct cpu_stats *s;

	want(l, 1, 7);
	if (!strcmp(l->words[1].s, "auto")) {
		g->stats_auto = true;
		return;
	}
	gen_grow(g, &g->stats, &g->stats_cap, g->nstats + 1, sizeof(*g->stats));
	s = &g->stats[g->nstats++];
	s->cpu = (unsigned)setup_number(g, l->words[1].s);
	s->instance = g->ninstances ? (unsigned)g->ninstances - 1 : 0;
	for (size_t i = 2; i < l->n; i++) {
		const char *eq = strchr(l->words[i].s, '=');
		size_t k, len = eq ? (size_t)(eq - l->words[i].s) : 0;

		for (k = 0; k < 6; k++)
			if (strlen(keys[k]) == len && !memcmp(keys[k], l->words[i].s, len))
				break;
		if (k == 6)
			gen_die(g, "unknown '%s' in stats", l->words[i].s);
		s->v[k] = setup_number(g, eq + 1);
	}
}

static void set_map(struct line *l)
{
	struct map_opts *m = &l->g->map;
	const char *what = l->words[0].s + 4;
	bool stat = !strcmp(what, "stat");
	uint64_t v;

	want(l, stat ? 5 : 1, stat ? 5 : 1);
	if (stat) {
		m->has_stat = true;
		for (unsigned i = 0; i < 5; i++)
			m->stat[i] = setup_number(l->g, l->words[i + 1].s);
		return;
	}
	m->present = true;
	if (!strcmp(what, "extra")) {
		m->extra = setup_hex(l->g, l->words[1].s);
		return;
	}
	v = setup_number(l->g, l->words[1].s);
	if (!strcmp(what, "magic"))
		m->has_magic = true, m->magic = (uint32_t)v;
	else if (!strcmp(what, "version"))
		m->has_version = true, m->version = (uint32_t)v;
	else if (!strcmp(what, "nr"))
		m->has_nr = true, m->nr = (uint32_t)v;
	else if (!strcmp(what, "reserved"))
		m->reserved = (uint32_t)v;
	else
		m->has_cut = true, m->cut = (int64_t)v;
}

static const struct {
	const char *name;
	void (*fn)(struct line *l);
} statements[] = {
	{"kernel", set_kernel},
	{"clock", set_clock},
	{"release", set_release},
	{"bootid", set_boot_id},
	{"buildid", set_build_id},
	{"kallsyms", add_symbol},
	{"kallsyms-restricted", set_restricted},
	{"module", add_module},
	{"comm", add_comm},
	{"tgid", add_comm},
	{"json", set_json},
	{"file", add_file},
	{"omit", add_omit},
	{"format", add_format},
	{"stats", add_stats},
	{"map-magic", set_map},
	{"map-version", set_map},
	{"map-nr", set_map},
	{"map-reserved", set_map},
	{"map-cut", set_map},
	{"map-extra", set_map},
	{"map-stat", set_map},
};

bool setup_statement(struct gen *g, struct text *words, size_t n, const char *rest)
{
	struct line l = {g, words, n, rest};

	for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++)
		if (!strcmp(words[0].s, statements[i].name)) {
			statements[i].fn(&l);
			return true;
		}
	return false;
}
