/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the series of a timeline are called. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "course.h"
#include "fragments.h"
#include "top.h"

/* A table row's frames as numbers of their functions' names. */
struct chain {
	const struct sm_table_row *row;
	const uint32_t *names;
	uint32_t depth;
	uint32_t tells; /* the first frame that no other row has after the same ones */
	bool offsets;   /* another row has the same functions, called from other places */
	size_t at;
};

struct naming {
	const struct sm_symbols *syms;
	struct sm_strings functions;
	struct sm_strings taken;
	struct sm_arena arena;
	struct chain *chains;
	size_t n;
	struct sm_buf text;
};

enum style { SHORT, SHORT_OFFSETS, LONG, LONG_OFFSETS, NUMBERED };

static bool number_frames(struct naming *m, struct chain *c)
{
	uint32_t *names = sm_arena_alloc(&m->arena, (c->row->depth + 1) * sizeof(*names));

	if (!names)
		return false;
	for (uint32_t i = 0; i < c->row->depth; i++) {
		sm_buf_reset(&m->text);
		frame_function(m->syms, c->row->ips[i], &m->text);
		if (m->text.failed)
			return false;
		names[i] = sm_strings_add(&m->functions, m->text.data, m->text.len);
		if (names[i] == SM_NO_STRING)
			return false;
	}
	c->names = names;
	c->depth = c->row->depth;
	return true;
}

static uint32_t common(const struct chain *a, const struct chain *b)
{
	uint32_t i = 0;

	while (i < a->depth && i < b->depth && a->names[i] == b->names[i])
		i++;
	return i;
}

static uint32_t same_places(const struct chain *a, const struct chain *b)
{
	uint32_t i = 0;

	while (i < a->depth && i < b->depth && a->row->ips[i] == b->row->ips[i])
		i++;
	return i;
}

static int compare(const void *a, const void *b)
{
	const struct chain *x = a, *y = b;
	uint32_t i = common(x, y);

	if (i < x->depth && i < y->depth)
		return x->names[i] < y->names[i] ? -1 : 1;
	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	i = same_places(x, y);
	if (i == x->depth)
		return 0;
	return x->row->ips[i] < y->row->ips[i] ? -1 : 1;
}

/* What tells `c` from its neighbour `other`. */
static void tell_from(struct chain *c, const struct chain *other)
{
	uint32_t i = common(c, other);

	if (i == c->depth && i == other->depth) {
		c->offsets = true;
		i = same_places(c, other);
	}
	if (i >= c->depth)
		i = c->depth ? c->depth - 1 : 0;
	c->tells = i > c->tells ? i : c->tells;
}

/* In order, those with the most in common are neighbours. */
static void find_tells(struct naming *m)
{
	qsort(m->chains, m->n, sizeof(*m->chains), compare);
	for (size_t i = 0; i < m->n; i++) {
		if (i)
			tell_from(&m->chains[i], &m->chains[i - 1]);
		if (i + 1 < m->n)
			tell_from(&m->chains[i], &m->chains[i + 1]);
	}
}

static void add_frame(struct naming *m, const struct chain *c, uint32_t i, bool offset)
{
	struct sm_symbol sym;

	sm_buf_adds(&m->text, sm_strings_get(&m->functions, c->names[i]));
	if (offset && m->syms && sm_symbols_find_caller(m->syms, c->row->ips[i], &sym))
		sm_buf_addf(&m->text, "+0x%llx", (unsigned long long)sym.offset);
}

static void write_chain(struct naming *m, const struct chain *c, enum style style)
{
	bool offsets = c->offsets || style == SHORT_OFFSETS || style >= LONG_OFFSETS;

	add_frame(m, c, 0, offsets);
	if (style < LONG && c->tells > 1)
		sm_buf_adds(&m->text, " <- ..");
	for (uint32_t i = style < LONG && c->tells ? c->tells : 1; i <= c->tells; i++) {
		sm_buf_adds(&m->text, " <- ");
		add_frame(m, c, i, offsets);
	}
}

/* The shortest text for it that nobody has yet. */
static char *name_row(
	struct naming *m, const struct sm_table_row *row, const struct chain *c, size_t at)
{
	for (enum style style = SHORT; style <= NUMBERED; style++) {
		sm_buf_reset(&m->text);
		if (row->label)
			sm_buf_adds(&m->text, row->label);
		else if (c && c->depth)
			write_chain(m, c, style);
		if (style == NUMBERED)
			sm_buf_addf(&m->text, " #%zu", at + 1);
		if (m->text.failed)
			return NULL;
		sm_buf_adds(&m->text, "");
		if (sm_strings_find(&m->taken, m->text.data ? m->text.data : "", m->text.len) ==
			SM_NO_STRING)
			break;
	}
	sm_buf_addc(&m->text, '\0');
	if (m->text.failed ||
		sm_strings_add(&m->taken, m->text.data, m->text.len - 1) == SM_NO_STRING)
		return NULL;
	return strdup(m->text.data);
}

static bool name_all(struct naming *m, const struct sm_table *table, size_t rows, char **items)
{
	const struct chain **of_row = calloc(rows + 1, sizeof(*of_row));
	bool ok = of_row != NULL;

	m->chains = calloc(rows + 1, sizeof(*m->chains));
	ok &= m->chains != NULL;
	for (size_t i = 0; ok && i < rows; i++) {
		struct chain *c = &m->chains[m->n];

		if (table->rows[i].label)
			continue;
		c->row = &table->rows[i];
		c->at = i;
		m->n++;
		ok = number_frames(m, c);
	}
	if (ok)
		find_tells(m);
	for (size_t i = 0; ok && i < m->n; i++)
		of_row[m->chains[i].at] = &m->chains[i];
	for (size_t i = 0; ok && i < rows; i++) {
		items[i] = name_row(m, &table->rows[i], of_row[i], i);
		ok = items[i] != NULL;
	}
	free(of_row);
	return ok;
}

void series_names_make(
	struct series_names *names, const struct sm_timeline_view *view, struct sm_out *out)
{
	const struct sm_table *table = view->table;
	struct naming m = {0};
	size_t rows;
	bool ok;

	memset(names, 0, sizeof(*names));
	if (!table || !view->timeline->nseries)
		return;
	sm_table_prepare(table, out);
	m.syms = table->syms;
	names->n = view->timeline->nseries;
	rows = names->n - 1;
	names->items = calloc(names->n + 1, sizeof(*names->items));
	/* Nobody else is to be called so. */
	names->keys = calloc(names->n + 1, sizeof(*names->keys));
	ok = names->items && names->keys &&
	     sm_strings_add(&m.taken, "[others]", 8) != SM_NO_STRING &&
	     name_all(&m, table, rows, names->items);
	for (size_t i = 0; ok && i < rows; i++)
		if (!table->rows[i].label && table->rows[i].depth)
			snprintf(names->keys[i], sizeof(names->keys[i]), "0x%016llx",
				(unsigned long long)sm_stack_key(
					table->syms, table->rows[i].ips, table->rows[i].depth));
	if (ok) {
		names->items[names->n - 1] = strdup("[others]");
		ok = names->items[names->n - 1] != NULL;
	}
	free(m.chains);
	sm_arena_release(&m.arena);
	sm_strings_release(&m.functions);
	sm_strings_release(&m.taken);
	sm_buf_release(&m.text);
	if (ok)
		return;
	series_names_release(names);
	if (!out->errnum)
		out->errnum = ENOMEM;
}

void series_names_release(struct series_names *names)
{
	for (size_t i = 0; i < names->n && names->items; i++)
		free(names->items[i]);
	free(names->items);
	free(names->keys);
	memset(names, 0, sizeof(*names));
}
