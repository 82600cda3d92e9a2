/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "pprof_tables.h"
#include "proto.h"

uint32_t pprof_string(struct pprof_tables *t, const char *text)
{
	if (!text)
		return 0;
	sm_buf_reset(&t->text);
	sm_buf_add_visible(&t->text, text, strlen(text));
	if (t->text.failed)
		return SM_NO_STRING;
	return sm_strings_add(&t->strings, t->text.len ? t->text.data : "", t->text.len);
}

/* The id of an entry with this key, *fresh where it is new; 0 when memory is short. */
static uint32_t id_of(struct sm_strings *keys, const void *key, size_t len, bool *fresh)
{
	size_t before = keys->n;
	uint32_t id = sm_strings_add(keys, key, len);

	*fresh = keys->n > before;
	return id == SM_NO_STRING || id >= INT32_MAX ? 0 : id + 1;
}

static uint32_t mapping_of(struct pprof_tables *t, const struct sm_symbols *syms,
	const char *module, const char *build_id)
{
	const char *own = strcmp(module, "[kernel]") ? module : NULL;
	bool known = syms && strcmp(module, "[unknown]");
	struct pprof_mapping m = {
		.name = pprof_string(t, module),
		.build_id = pprof_string(t, known ? build_id : NULL),
		.syms = known ? syms : NULL,
		.module = own,
	};
	const uint32_t key[] = {m.name, m.build_id};
	bool fresh;
	uint32_t id;

	if (m.name == SM_NO_STRING || m.build_id == SM_NO_STRING ||
		!sm_grow(&t->mappings, &t->mappings_cap, t->mapping_keys.n + 1,
			sizeof(*t->mappings)))
		return 0;
	id = id_of(&t->mapping_keys, key, sizeof(key), &fresh);
	if (id && fresh)
		t->mappings[id - 1] = m;
	return id;
}

static uint32_t function_of(struct pprof_tables *t, const char *name, const char *file)
{
	struct pprof_function f = {.name = pprof_string(t, name), .file = pprof_string(t, file)};
	const uint32_t key[] = {f.name, f.file};
	bool fresh;
	uint32_t id;

	if (f.name == SM_NO_STRING || f.file == SM_NO_STRING ||
		!sm_grow(&t->functions, &t->functions_cap, t->function_keys.n + 1,
			sizeof(*t->functions)))
		return 0;
	id = id_of(&t->function_keys, key, sizeof(key), &fresh);
	if (id && fresh)
		t->functions[id - 1] = f;
	return id;
}

static bool add_line(struct pprof_tables *t, const char *name, const struct sm_line *line)
{
	struct pprof_line l = {
		.function = function_of(t, name ? name : "??", line ? line->file : NULL),
		.line = line ? line->line : 0,
	};

	if (!l.function || !sm_grow(&t->lines, &t->lines_cap, t->nlines + 1, sizeof(*t->lines)))
		return false;
	t->lines[t->nlines++] = l;
	return true;
}

/* Takes the location of this key, and tells whether its lines are to be added. */
static uint32_t new_location(struct pprof_tables *t, const uint64_t key[3], uint32_t mapping,
	uint64_t address, bool *fresh)
{
	uint32_t id;

	if (!sm_grow(&t->locations, &t->locations_cap, t->location_keys.n + 1,
		    sizeof(*t->locations)))
		return 0;
	id = id_of(&t->location_keys, key, 3 * sizeof(*key), fresh);
	if (id && *fresh)
		t->locations[id - 1] = (struct pprof_location){
			.mapping = mapping, .address = address, .first = t->nlines};
	return id;
}

/* Of a location that only the base has: where it would be in what the mapping describes. */
static uint64_t moved(
	const struct pprof_mapping *m, const struct sm_symbols *syms, uint64_t address)
{
	uint64_t from, to, end;

	if (!address || !m->syms || m->syms == syms ||
		!sm_symbols_range(syms, m->module, &from, &end) ||
		!sm_symbols_range(m->syms, m->module, &to, &end))
		return address;
	return address - from + to;
}

/* A place in the code is the same on either side where its function, and the offset in it, are. */
static uint32_t resolve(struct pprof_tables *t, const struct sm_symbols *syms, uint64_t ip)
{
	uint64_t address = ip == SM_TRAMPOLINE ? 0 : sm_symbols_shown_address(syms, ip);
	struct export_symbol s;
	uint32_t name, mapping, id;
	struct pprof_mapping *m;
	bool fresh, ok = true;

	export_resolve(syms, ip, &s);
	mapping = mapping_of(t, syms, s.module, s.build_id);
	name = pprof_string(t, s.name);
	if (!mapping || name == SM_NO_STRING)
		return 0;
	id = new_location(t,
		(const uint64_t[3]){mapping, s.name ? name : UINT32_MAX, s.name ? s.offset : ip},
		mapping, moved(&t->mappings[mapping - 1], syms, address ? address - 1 : 0), &fresh);
	if (!id || !fresh)
		return id;
	for (size_t i = 0; ok && i + 1 < s.nlines; i++)
		ok = add_line(t, s.lines[i].function, &s.lines[i]);
	if (s.name)
		ok = ok && add_line(t, s.name, s.nlines ? &s.lines[s.nlines - 1] : NULL);
	t->locations[id - 1].n = (uint32_t)(t->nlines - t->locations[id - 1].first);
	m = &t->mappings[mapping - 1];
	m->incomplete |= !s.name;
	m->inlined |= s.nlines > 1;
	for (size_t i = 0; i < s.nlines; i++) {
		m->files |= s.lines[i].file != NULL;
		m->lines |= s.lines[i].line != 0;
	}
	return ok ? id : 0;
}

static size_t home_of(uint64_t ip, size_t nslots)
{
	return (size_t)((ip * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (nslots - 1);
}

static bool grow(struct pprof_tables *t, unsigned side)
{
	size_t nslots = t->nslots[side] ? t->nslots[side] * 2 : 1024;
	struct pprof_address *slots = calloc(nslots, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 0; i < t->nslots[side]; i++) {
		size_t at = home_of(t->slots[side][i].ip, nslots);

		if (!t->slots[side][i].location)
			continue;
		while (slots[at].location)
			at = (at + 1) & (nslots - 1);
		slots[at] = t->slots[side][i];
	}
	free(t->slots[side]);
	t->slots[side] = slots;
	t->nslots[side] = nslots;
	return true;
}

uint32_t pprof_location_of(
	struct pprof_tables *t, unsigned side, const struct sm_symbols *syms, uint64_t ip)
{
	struct pprof_address *a;
	size_t i;

	if (t->nused[side] * 2 >= t->nslots[side] && !grow(t, side))
		return 0;
	for (i = home_of(ip, t->nslots[side]);; i = (i + 1) & (t->nslots[side] - 1)) {
		a = &t->slots[side][i];
		if (!a->location || a->ip == ip)
			break;
	}
	if (!a->location) {
		a->ip = ip;
		a->location = resolve(t, syms, ip);
		t->nused[side] += a->location != 0;
	}
	return a->location;
}

uint32_t pprof_location_of_label(struct pprof_tables *t, const char *label)
{
	uint32_t mapping = mapping_of(t, NULL, "[unknown]", NULL), name = pprof_string(t, label),
		 id;
	bool fresh;

	if (!mapping || name == SM_NO_STRING)
		return 0;
	id = new_location(t, (const uint64_t[3]){mapping, name, UINT64_MAX}, mapping, 0, &fresh);
	if (!id || !fresh)
		return id;
	t->locations[id - 1].n = 1;
	return add_line(t, label, NULL) ? id : 0;
}

bool pprof_tables_init(struct pprof_tables *t, const struct sm_symbols *syms)
{
	const char *build_id = syms ? sm_symbols_build_id(syms, NULL) : NULL;

	memset(t, 0, sizeof(*t));
	if (sm_strings_add(&t->strings, "", 0) != 0)
		return false;
	return !build_id || mapping_of(t, syms, "[kernel]", build_id) == 1;
}

static void put(struct gzip *g, unsigned field, struct sm_buf *message)
{
	struct sm_buf head = {0};

	proto_varint(&head, field << 3 | PROTO_BYTES);
	proto_varint(&head, message->len);
	sm_out_bytes(&g->plain, head.data, head.len);
	sm_out_bytes(&g->plain, message->data, message->len);
	if ((head.failed || message->failed) && !g->plain.errnum)
		g->plain.errnum = ENOMEM;
	sm_buf_release(&head);
	sm_buf_reset(message);
	gzip_drain(g);
}

static void put_mapping(
	const struct pprof_mapping *m, uint32_t id, struct gzip *g, struct sm_buf *b)
{
	uint64_t start = 0, end = 0;

	if (m->syms)
		sm_symbols_range(m->syms, m->module, &start, &end);
	proto_u64(b, 1, id);
	proto_u64(b, 2, start);
	proto_u64(b, 3, end);
	proto_u64(b, 5, m->name);
	proto_u64(b, 6, m->build_id);
	proto_u64(b, 7, !m->incomplete);
	proto_u64(b, 8, m->files);
	proto_u64(b, 9, m->lines);
	proto_u64(b, 10, m->inlined);
	put(g, 3, b);
}

static void put_location(
	const struct pprof_tables *t, uint32_t id, struct gzip *g, struct sm_buf *b)
{
	const struct pprof_location *l = &t->locations[id - 1];
	struct sm_buf line = {0};

	proto_u64(b, 1, id);
	proto_u64(b, 2, l->mapping);
	proto_u64(b, 3, l->address);
	for (uint32_t i = 0; i < l->n; i++) {
		proto_u64(&line, 1, t->lines[l->first + i].function);
		proto_u64(&line, 2, t->lines[l->first + i].line);
		proto_bytes(b, 4, line.data, line.len);
		b->failed |= line.failed;
		sm_buf_reset(&line);
	}
	sm_buf_release(&line);
	put(g, 4, b);
}

void pprof_tables_write(const struct pprof_tables *t, struct gzip *g)
{
	struct sm_buf b = {0};

	for (uint32_t id = 1; id <= t->mapping_keys.n; id++)
		put_mapping(&t->mappings[id - 1], id, g, &b);
	for (uint32_t id = 1; id <= t->location_keys.n && !sm_out_failed(g->out); id++)
		put_location(t, id, g, &b);
	for (uint32_t id = 1; id <= t->function_keys.n && !sm_out_failed(g->out); id++) {
		const struct pprof_function *f = &t->functions[id - 1];

		proto_u64(&b, 1, id);
		proto_u64(&b, 2, f->name);
		proto_u64(&b, 3, f->name);
		proto_u64(&b, 4, f->file);
		put(g, 5, &b);
	}
	for (size_t i = 0; i < t->strings.n; i++) {
		sm_buf_add(&b, t->strings.items[i].data, t->strings.items[i].len);
		put(g, 6, &b);
	}
	sm_buf_release(&b);
}

void pprof_tables_release(struct pprof_tables *t)
{
	sm_strings_release(&t->strings);
	sm_strings_release(&t->mapping_keys);
	sm_strings_release(&t->function_keys);
	sm_strings_release(&t->location_keys);
	free(t->mappings);
	free(t->functions);
	free(t->locations);
	free(t->lines);
	free(t->slots[0]);
	free(t->slots[1]);
	sm_buf_release(&t->text);
}
