// SPDX-License-Identifier: GPL-2.0-or-later
/* script: lines to words, words to statements. The language is described in README.md. */
#include "gen.h"

#include <stdlib.h>
#include <string.h>

#define MAX_WORDS 4096u
#define MAX_NESTING 16u

struct reader {
	struct gen *g;
	struct text *words;
	size_t n;
	struct block *stack[MAX_NESTING];
	unsigned depth;
	unsigned includes;
	unsigned map_depth; /* the block at this depth is the map's; 0 = none */
};

static struct stmt *add(struct reader *r, enum op op)
{
	struct block *b = r->stack[r->depth];
	struct stmt *st;

	gen_grow(r->g, &b->items, &b->cap, b->n + 1, sizeof(*b->items));
	st = &b->items[b->n++];
	st->op = op;
	st->line = r->g->line;
	return st;
}

static void push(struct reader *r, struct block *b)
{
	if (++r->depth == MAX_NESTING)
		gen_die(r->g, "blocks nested too deeply");
	r->stack[r->depth] = b;
}

static void want(struct reader *r, size_t n)
{
	if (r->n != n)
		gen_die(r->g, "'%s' takes %zu words, has %zu", r->words[0].s, n - 1, r->n - 1);
}

static struct expr *context(struct gen *g, const char *s)
{
	static const struct {
		const char *name;
		unsigned flags;
	} names[] = {{"task", 0}, {"irq", 0x08}, {"softirq", 0x10}, {"nmi", 0x40}};
	struct expr *e = gen_alloc(g, sizeof(*e));

	e->op = '#';
	while (*s) {
		size_t len = strcspn(s, "+"), i;

		for (i = 0; i < 4; i++)
			if (strlen(names[i].name) == len && !memcmp(names[i].name, s, len))
				break;
		if (i == 4)
			gen_die(g, "unknown context '%s'", s);
		e->value |= names[i].flags;
		s += len + (s[len] == '+');
	}
	return e;
}

/* KEY=VALUE that every record takes: true when it was one. */
static bool record_key(
	struct gen *g, struct stmt *st, const char *key, size_t len, const char *value)
{
	struct {
		const char *name;
		struct expr **e;
	} keys[] = {{"pid", &st->pid}, {"flags", &st->flags}, {"preempt", &st->preempt},
		{"size", &st->size}, {"id", &st->id}};

	if (len == 3 && !memcmp(key, "ctx", 3)) {
		st->flags = context(g, value);
		return true;
	}
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strlen(keys[i].name) == len && !memcmp(keys[i].name, key, len)) {
			*keys[i].e = expr_parse(g, value);
			return true;
		}
	return false;
}

static struct assignment *new_set(struct gen *g, struct stmt *st, size_t *cap, unsigned field)
{
	gen_grow(g, &st->sets, cap, st->nsets + 1, sizeof(*st->sets));
	st->sets[st->nsets].field = field;
	return &st->sets[st->nsets++];
}

static struct assignment *find_set(struct stmt *st, unsigned field)
{
	for (size_t i = 0; i < st->nsets; i++)
		if (st->sets[i].field == field)
			return &st->sets[i];
	return NULL;
}

static void event_defaults(struct gen *g, struct stmt *st, size_t *cap)
{
	const struct event_kind *kind = st->kind;
	unsigned req = kind_field_index(kind, "bytes_req", 9);

	for (unsigned i = 0; i < kind->nfields; i++) {
		const struct field *f = &kind->fields[i];

		if (find_set(st, i))
			continue;
		if (f->dynamic)
			new_set(g, st, cap, i)->how = SET_TEXT;
		else if (!strcmp(f->name, "bytes_alloc") && req != MAX_FIELDS && find_set(st, req))
			new_set(g, st, cap, i)->e = find_set(st, req)->e;
		else if (!strcmp(f->name, "node"))
			new_set(g, st, cap, i)->e = expr_parse(g, "-1");
		else if (!strcmp(f->name, "gfp_flags"))
			new_set(g, st, cap, i)->e = expr_parse(g, "GFP_KERNEL");
	}
}

static void event(struct reader *r, struct event_kind *kind, size_t first)
{
	static const char *const aliases[][2] = {{"site", "call_site"}, {"req", "bytes_req"},
		{"alloc", "bytes_alloc"}, {"gfp", "gfp_flags"}, {"mt", "migratetype"}};
	struct gen *g = r->g;
	struct stmt *st = add(r, OP_EVENT);
	size_t cap = 0;

	st->kind = kind;
	for (size_t i = first; i < r->n; i++) {
		const char *key = r->words[i].s, *value = strchr(key, '='), *dot;
		struct assignment *set;
		size_t len;
		unsigned field;

		if (!value)
			gen_die(g, "'%s' is not KEY=VALUE", key);
		len = (size_t)(value++ - key);
		if (record_key(g, st, key, len, value))
			continue;
		dot = memchr(key, '.', len);
		if (dot)
			len = (size_t)(dot - key);
		for (size_t a = 0; a < sizeof(aliases) / sizeof(aliases[0]); a++)
			if (strlen(aliases[a][0]) == len && !memcmp(aliases[a][0], key, len)) {
				key = aliases[a][1];
				len = strlen(key);
				break;
			}
		field = kind_field_index(kind, key, len);
		/* a script for several kernels may name what only some of them have */
		if (field == MAX_FIELDS) {
			if (strcmp(kind->system, "kmem"))
				gen_die(g, "'%s' has no field '%s'", kind->name, key);
			continue;
		}
		set = new_set(g, st, &cap, field);
		set->text.s =
			gen_strdup(r->g, value, r->words[i].len - (size_t)(value - r->words[i].s));
		set->text.len = r->words[i].len - (size_t)(value - r->words[i].s);
		if (dot && !strncmp(dot, ".loc=", 5))
			set->how = SET_LOC;
		else if (dot && !strncmp(dot, ".nonul=", 7))
			set->how = SET_TEXT_NO_NUL;
		else if (kind->fields[field].dynamic || kind->fields[field].chars)
			set->how = SET_TEXT;
		if (set->how == SET_NUMBER || set->how == SET_LOC)
			set->e = expr_parse(g, value);
	}
	event_defaults(g, st, &cap);
}

static void frames(struct reader *r, struct stmt *st, size_t first)
{
	size_t cap = 0;

	for (size_t i = first; i < r->n; i++) {
		char *s = r->words[i].s, *value = strchr(s, '='), *count = strchr(s, ':');
		struct frame *f;

		if (value) {
			size_t len = (size_t)(value - s);

			if (len == 5 && !memcmp(s, "claim", 5))
				st->e = expr_parse(r->g, value + 1);
			else if (!record_key(r->g, st, s, len, value + 1))
				gen_die(r->g, "unknown '%s'", s);
			continue;
		}
		gen_grow(r->g, &st->frames, &cap, st->nframes + 1, sizeof(*st->frames));
		f = &st->frames[st->nframes++];
		if (count) {
			*count = 0;
			f->count = expr_parse(r->g, count + 1);
		}
		f->ip = expr_parse(r->g, s);
	}
}

static unsigned instance(struct reader *r)
{
	struct gen *g = r->g;
	const char *name = r->n > 1 && strcmp(r->words[1].s, "-") ? r->words[1].s : "";
	unsigned i;

	for (i = 0; i < g->ninstances; i++)
		if (!strcmp(g->instances[i].name, name))
			return i;
	gen_grow(r->g, &g->instances, &g->instances_cap, g->ninstances + 1, sizeof(*g->instances));
	g->instances[i].name = gen_strdup(r->g, name, strlen(name));
	g->instances[i].page_size = g->k.page_size;
	if (r->n == 4 && !strcmp(r->words[2].s, "page"))
		g->instances[i].page_size = (uint32_t)setup_number(g, r->words[3].s);
	if (g->instances[i].page_size < 64 || g->instances[i].page_size > 1u << 24)
		gen_die(g, "a page has 64 bytes to 16 MiB");
	g->ninstances++;
	return i;
}

static void page(struct reader *r)
{
	struct stmt *st = add(r, OP_PAGE);

	for (size_t i = 1; i < r->n; i++) {
		const char *w = r->words[i].s;

		if (!strcmp(w, "time") && i + 1 < r->n)
			st->e = expr_parse(r->g, r->words[++i].s);
		else if (!strcmp(w, "lost") && i + 1 < r->n)
			st->e2 = expr_parse(r->g, r->words[++i].s);
		else if (!strcmp(w, "lost-unknown"))
			st->flag = true;
		else if (!strcmp(w, "plain"))
			st->flag2 = true;
		else
			gen_die(r->g, "unknown '%s' after page", w);
	}
}

static void map_stack(struct reader *r, bool raw)
{
	struct stmt *st;

	if (r->n < (raw ? 4u : 3u))
		gen_die(r->g, "a stack of the map needs its id and ref count");
	st = add(r, OP_MAPSTACK);
	st->id = expr_parse(r->g, r->words[1].s);
	st->e2 = expr_parse(r->g, r->words[2].s);
	if (raw)
		st->e3 = expr_parse(r->g, r->words[3].s);
	frames(r, st, raw ? 4 : 3);
}

static void let(struct reader *r, const char *rest)
{
	struct stmt *st;
	const char *eq = strchr(rest, '=');
	char *e;

	if (r->n < 4 || strcmp(r->words[2].s, "=") || !eq)
		gen_die(r->g, "let NAME = EXPRESSION");
	e = gen_strdup(r->g, eq + 1, strcspn(eq + 1, "#\r\n"));
	st = add(r, OP_LET);
	st->e = expr_parse(r->g, e);
	st->var = expr_var(r->g, r->words[1].s, r->words[1].len);
}

static const struct simple {
	const char *name;
	enum op op;
	bool has_value;
} simples[] = {
	{"step", OP_STEP, true},
	{"abs", OP_ABS, false},
	{"cpu", OP_CPU, true},
	{"zeropage", OP_ZEROPAGE, false},
	{"cutpage", OP_CUTPAGE, true},
	{"commit", OP_COMMIT, true},
	{"padding", OP_PADDING, true},
	{"discard", OP_DISCARD, true},
};

static bool simple(struct reader *r)
{
	for (size_t i = 0; i < sizeof(simples) / sizeof(simples[0]); i++) {
		struct stmt *st;

		if (strcmp(r->words[0].s, simples[i].name))
			continue;
		want(r, simples[i].has_value ? 2 : 1);
		st = add(r, simples[i].op);
		if (simples[i].has_value)
			st->e = expr_parse(r->g, r->words[1].s);
		return true;
	}
	return false;
}

static void at(struct reader *r)
{
	const char *s = r->words[1].s;
	struct stmt *st = add(r, OP_AT);

	want(r, 2);
	st->flag = *s == '+';
	st->e = expr_parse(r->g, s + st->flag);
}

static void raw_bytes(struct reader *r)
{
	struct stmt *st = add(r, OP_RAWBYTES);

	want(r, 2);
	st->bytes = setup_hex(r->g, r->words[1].s);
}

static void named_event(struct reader *r)
{
	struct event_kind *kind;
	char *colon;

	if (strcmp(r->words[0].s, "event")) {
		kind = kind_find(r->g, NULL, r->words[0].s);
		if (!kind)
			gen_die(r->g, "unknown statement '%s'", r->words[0].s);
		event(r, kind, 1);
		return;
	}
	colon = r->n > 1 ? strchr(r->words[1].s, ':') : NULL;
	if (!colon)
		gen_die(r->g, "event SYSTEM:NAME KEY=VALUE...");
	*colon = 0;
	kind = kind_find(r->g, r->words[1].s, colon + 1);
	if (!kind)
		gen_die(r->g, "no format for '%s:%s'", r->words[1].s, colon + 1);
	event(r, kind, 2);
}

static void block_statement(struct reader *r)
{
	const char *w = r->words[0].s;
	struct stmt *st;

	if (!strcmp(w, "repeat")) {
		if (r->n != 3 || strcmp(r->words[2].s, "{"))
			gen_die(r->g, "repeat N {");
		st = add(r, OP_REPEAT);
		st->e = expr_parse(r->g, r->words[1].s);
		st->body.items = NULL;
		/* the block around may move while this one grows: build it apart */
		push(r, gen_alloc(r->g, sizeof(struct block)));
	} else if (!strcmp(w, "map")) {
		if (r->n != 2 || strcmp(r->words[1].s, "{") || r->depth)
			gen_die(r->g, "map {, outside of other blocks");
		push(r, &r->g->map_body);
		r->map_depth = r->depth;
		r->g->map.present = true;
	} else {
		struct block *done = r->stack[r->depth];

		if (!r->depth)
			gen_die(r->g, "'}' without its '{'");
		if (r->depth-- == r->map_depth) {
			r->map_depth = 0;
			return;
		}
		st = &r->stack[r->depth]->items[r->stack[r->depth]->n - 1];
		st->body = *done;
	}
}

static void statement(struct reader *r, const char *rest)
{
	const char *w = r->words[0].s;
	struct stmt *st;

	if (!strcmp(w, "repeat") || !strcmp(w, "map") || !strcmp(w, "}")) {
		block_statement(r);
	} else if (!strcmp(w, "let")) {
		let(r, rest);
	} else if (r->map_depth) {
		if (strcmp(w, "stack") && strcmp(w, "rawstack"))
			gen_die(r->g, "'%s' has no place in a map", w);
		map_stack(r, *w == 'r');
	} else if (!strcmp(w, "at")) {
		at(r);
	} else if (!strcmp(w, "instance")) {
		st = add(r, OP_INSTANCE);
		st->var = instance(r);
	} else if (!strcmp(w, "page")) {
		page(r);
	} else if (!strcmp(w, "stack") || !strcmp(w, "userstack")) {
		frames(r, add(r, *w == 's' ? OP_STACK : OP_USERSTACK), 1);
	} else if (!strcmp(w, "stackid")) {
		if (!r->g->k.stack_id)
			gen_die(r->g, "this kernel has no stack ids: say stack-id in its line");
		if (r->n < 2)
			gen_die(r->g, "stackid needs a number");
		st = add(r, OP_STACKID);
		st->e2 = expr_parse(r->g, r->words[1].s);
		frames(r, st, 2);
	} else if (!strcmp(w, "rawbytes")) {
		raw_bytes(r);
	} else if (!strcmp(w, "rawwords")) {
		frames(r, add(r, OP_RAWWORDS), 1);
	} else if (!simple(r)) {
		named_event(r);
	}
}

static void read_file(struct reader *r, FILE *f);

/* A script beside this one: what several share. */
static void include(struct reader *r)
{
	struct gen *g = r->g;
	const char *script = g->script, *slash = strrchr(script, '/');
	size_t dir = slash ? (size_t)(slash - script) + 1 : 0;
	unsigned line = g->line;
	char *path;
	FILE *f;

	want(r, 2);
	if (r->includes == MAX_NESTING)
		gen_die(g, "includes nested too deeply");
	path = gen_alloc(g, dir + r->words[1].len + 1);
	memcpy(path, script, dir);
	memcpy(path + dir, r->words[1].s, r->words[1].len);
	f = fopen(path, "r");
	if (!f)
		gen_die(g, "cannot open '%s'", path);
	g->script = path;
	g->line = 0;
	r->includes++;
	read_file(r, f);
	r->includes--;
	fclose(f);
	g->script = script;
	g->line = line;
}

static void read_file(struct reader *r, FILE *f)
{
	struct gen *g = r->g;
	char *line = NULL;
	size_t cap = 0;

	while (getline(&line, &cap, f) >= 0) {
		const char *rest = line + strspn(line, " \t");

		g->line++;
		r->n = words_split(g, line, r->words, MAX_WORDS);
		if (!r->n)
			continue;
		rest += strcspn(rest, " \t\r\n");
		rest += strspn(rest, " \t");
		if (!strcmp(r->words[0].s, "include")) {
			include(r);
			continue;
		}
		if (!g->kernel_seen && strcmp(r->words[0].s, "kernel"))
			gen_die(g, "the kernel line comes first");
		if (!setup_statement(g, r->words, r->n, rest))
			statement(r, rest);
		if (!g->ninstances) {
			r->n = 1;
			instance(r);
		}
	}
	free(line);
}

void script_read(struct gen *g, FILE *f)
{
	struct reader r = {.g = g};

	r.words = gen_alloc(g, MAX_WORDS * sizeof(*r.words));
	r.stack[0] = &g->body;
	read_file(&r, f);
	if (!g->kernel_seen)
		gen_die(g, "no kernel line");
	if (r.depth)
		gen_die(g, "a block is not closed");
}
