/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of a stack's page. */
#include <stdio.h>

#include "stack_view.h"

#define FIGURE_COLUMNS 34 /* name, value, share */
#define NAME_COLUMNS 12
#define VALUE_COLUMNS 11
#define PERCENT_COLUMNS 8

/* ---- which lines there are ---- */

static void add(struct stack_view *v, enum page_kind kind, uint32_t a, uint32_t b)
{
	if (sm_grow(&v->lines, &v->cap, v->nlines + 1, sizeof(*v->lines)))
		v->lines[v->nlines++] = (struct page_line){kind, a, b};
}

static const uint64_t *figures(const struct stack_view *v, uint32_t *known, const uint64_t **totals)
{
	const struct sm_table_row *row = v->page ? page_row(v->page) : NULL;

	*known = v->page ? (row ? v->page->pick.table->known : 0) : v->known;
	*totals = v->page ? v->page->pick.table->totals : v->totals;
	return row ? row->m : v->m;
}

static void add_figures(struct stack_view *v)
{
	unsigned each = v->width >= FIGURE_COLUMNS ? (unsigned)(v->width / FIGURE_COLUMNS) : 1;
	const uint64_t *totals;
	uint32_t known;
	unsigned n;

	figures(v, &known, &totals);
	n = (unsigned)__builtin_popcount(known);
	for (unsigned i = 0; i < n; i += each)
		add(v, PAGE_FIGURES, i, i + each < n ? i + each : n);
}

static struct names *names_of(const struct stack_view *v)
{
	return v->side->names;
}

/* "do_work+0x12/0x340 [module]" */
static void frame_text(const struct stack_view *v, uint64_t ip, struct sm_buf *text)
{
	struct name name;

	if (ip == SM_TRAMPOLINE || !names_get(names_of(v), ip, &name) || !name.function) {
		browser_frame(v->view.browser, v->side, ip, false, text);
		return;
	}
	sm_buf_adds(text, name.function);
	if (name.offset || name.size)
		sm_buf_addf(text, "+0x%llx", (unsigned long long)name.offset);
	if (name.size)
		sm_buf_addf(text, "/0x%llx", (unsigned long long)name.size);
	if (name.module)
		sm_buf_addf(text, " [%s]", name.module);
}

static void add_frames(struct stack_view *v)
{
	struct sm_buf text = {0};
	int columns;

	add(v, PAGE_FRAMES, 0, 0);
	v->function = 0;
	if (v->label)
		add(v, PAGE_LABEL, 0, 0);
	for (uint32_t i = 0; i < v->depth; i++) {
		struct name name;

		if (names_get(names_of(v), v->ips[i], &name) && name.has_lines)
			for (uint32_t k = 0; k + 1 < name.nlines; k++)
				add(v, PAGE_INLINED, i, k);
		add(v, PAGE_FRAME, i, 0);
		sm_buf_reset(&text);
		frame_text(v, v->ips[i], &text);
		columns = text.failed
				  ? 0
				  : screen_columns(v->view.browser->screen, text.data, text.len);
		if (columns > v->function)
			v->function = columns;
	}
	if (v->function > v->width / 2)
		v->function = v->width / 2;
	sm_buf_release(&text);
}

static void add_shares(struct stack_view *v, uint32_t i)
{
	const struct sm_table *t = v->page->shares[i];
	size_t n = t ? t->nrows : 0;
	enum page_kind above = v->lines[v->nlines ? v->nlines - 1 : 0].kind;

	if (n > 1 || (above != PAGE_ONE && above != PAGE_UNKNOWN))
		add(v, PAGE_BLANK, 0, 0);
	if (n < 2) {
		add(v, n ? PAGE_ONE : PAGE_UNKNOWN, i, 0);
		return;
	}
	add(v, PAGE_SHARES, i, 0);
	if (!(v->all & 1u << i) && n > PAGE_LARGEST)
		n = PAGE_LARGEST;
	for (uint32_t k = 0; k < n; k++)
		add(v, PAGE_SHARE, i, k);
	if (n < t->nrows)
		add(v, PAGE_REST, i, 0);
}

static void add_ages(struct stack_view *v)
{
	uint32_t n = SM_AGES;

	add(v, PAGE_BLANK, 0, 0);
	if (!v->page->has_ages) {
		add(v, PAGE_NO_AGES, 0, 0);
		return;
	}
	add(v, PAGE_AGES, 0, 0);
	while (n && !v->page->ages[n - 1].count)
		n--;
	for (uint32_t k = 0; k < n; k++)
		add(v, PAGE_AGE, k, 0);
}

void page_lines_make(struct stack_view *v, int width)
{
	bool counted = !v->page || page_row(v->page);

	v->nlines = 0;
	v->width = width;
	v->bar = width >= 120 ? 24 : width >= 90 ? 16 : width >= 60 ? 8 : 0;
	if (counted)
		add_figures(v);
	else
		add(v, PAGE_NOTE, 0, 0);
	if (v->page && v->page->has_key)
		add(v, PAGE_KEY, 0, 0);
	if (counted && v->page && page_row(v->page)->nstack_ids)
		add(v, PAGE_IDS, 0, 0);
	add(v, PAGE_BLANK, 0, 0);
	add_frames(v);
	if (!counted || !v->page)
		return;
	if (v->page->shares_by == SM_M_NR) {
		add(v, PAGE_BLANK, 0, 0);
		add(v, PAGE_UNKNOWN, PAGE_ATTRS, 0);
		return;
	}
	for (uint32_t i = 0; i < PAGE_ATTRS; i++)
		add_shares(v, i);
	add_ages(v);
}

/* ---- what they say ---- */

static void value_text(
	const struct stack_view *v, enum sm_metric m, uint64_t value, struct sm_buf *text)
{
	const struct reading *r = v->view.browser->readings[v->side - v->view.browser->sides];

	if (r && sm_profile_is_bytes(r->profile, m))
		sm_human_bytes(value, text);
	else
		sm_human_count(value, text);
}

static void add_value(const struct stack_view *v, enum sm_metric m, uint64_t value, struct cells *c)
{
	struct sm_buf text = {0};

	value_text(v, m, value, &text);
	if (!text.failed)
		cells_right(c, ROLE_TEXT, VALUE_COLUMNS, text.data);
	sm_buf_release(&text);
}

static void add_percent(uint64_t value, uint64_t whole, struct cells *c)
{
	char text[32];

	snprintf(text, sizeof(text), "%.2f%%", whole ? (double)value * 100 / (double)whole : 0.0);
	cells_right(c, ROLE_TEXT, PERCENT_COLUMNS, text);
}

/* The i-th metric that is known. */
static enum sm_metric nth(uint32_t known, uint32_t i)
{
	unsigned m = 0;

	for (; m < SM_M_NR; m++)
		if (known & 1u << m && !i--)
			break;
	return (enum sm_metric)m;
}

static void figures_cells(const struct stack_view *v, const struct page_line *line, struct cells *c)
{
	const uint64_t *totals, *m;
	uint32_t known;

	m = figures(v, &known, &totals);
	for (uint32_t i = line->a; i < line->b; i++) {
		enum sm_metric k = nth(known, i);

		if (k == SM_M_NR)
			break;
		cells_addf(c, k == v->view.browser->by ? ROLE_FUNCTION : ROLE_DIM, "%s%-*s",
			i > line->a ? "   " : "", NAME_COLUMNS, sm_metric_name(k));
		add_value(v, k, m[k], c);
		if (k < SM_M_ADDITIVE)
			add_percent(m[k], totals[k], c);
		else
			cells_right(c, ROLE_TEXT, PERCENT_COLUMNS, "");
	}
}

static void ids_cells(const struct stack_view *v, struct cells *c)
{
	const struct sm_table_row *row = page_row(v->page);
	struct sm_buf *text;

	cells_add(c, ROLE_DIM, row->nstack_ids == 1 ? "stack id    " : "stack ids   ");
	text = cells_begin(c, ROLE_TEXT);
	for (size_t i = 0; text && i < row->nstack_ids && i < 1000; i++)
		sm_buf_addf(text, "%s%u", i ? " " : "", row->stack_ids[i]);
	cells_addf(c, ROLE_DIM, "%s", row->nstack_ids > 1000 ? " ..." : "");
}

static void pad(const struct stack_view *v, struct cells *c)
{
	struct cell *cell = &c->items[c->n - 1];

	cell->width = v->function;
	cells_add(c, ROLE_TEXT, "  ");
}

static void place_cells(const struct sm_line *line, struct cells *c)
{
	if (!line->file)
		return;
	cells_add(c, ROLE_FILE, line->file);
	if (line->line)
		cells_addf(c, ROLE_FILE, ":%u", line->line);
}

static void inlined_cells(const struct stack_view *v, const struct page_line *line, struct cells *c)
{
	struct name name;

	cells_add(c, ROLE_DIM, "     ");
	if (!names_get(names_of(v), v->ips[line->a], &name) || line->b >= name.nlines)
		return;
	cells_addf(c, ROLE_FUNCTION, "%s (inlined)",
		name.lines[line->b].function ? name.lines[line->b].function : "??");
	pad(v, c);
	place_cells(&name.lines[line->b], c);
}

static void frame_cells(const struct stack_view *v, uint32_t i, struct cells *c)
{
	uint64_t ip = v->ips[i];
	struct sm_buf text = {0};
	struct name name;

	cells_addf(c, ROLE_DIM, "%4u ", i);
	frame_text(v, ip, &text);
	cells_add(c, ROLE_FUNCTION, text.failed || !text.len ? "" : text.data);
	sm_buf_release(&text);
	pad(v, c);
	if (ip == SM_TRAMPOLINE)
		return;
	if (names_get(names_of(v), ip, &name) && name.nlines) {
		place_cells(&name.lines[name.nlines - 1], c);
		cells_add(c, ROLE_TEXT, "  ");
	}
	if (!sm_is_named(ip))
		cells_addf(c, ROLE_DIM, "0x%llx", (unsigned long long)ip);
}

static void share_cells(const struct stack_view *v, const struct page_line *line, struct cells *c)
{
	const struct page *p = v->page;
	const struct sm_table *t = p->shares[line->a];
	bool rest = line->kind == PAGE_REST;
	uint64_t value = rest ? p->rest[line->a] : t->rows[line->b].m[p->shares_by];

	add_value(v, p->shares_by, value, c);
	add_percent(value, p->part, c);
	cells_add(c, ROLE_TEXT, " ");
	cells_bar(c, ROLE_BAR, v->bar, p->part ? (double)value / (double)p->part : 0);
	cells_add(c, ROLE_TEXT, " ");
	cells_fix(c);
	if (rest)
		cells_addf(c, ROLE_DIM, "%zu more", t->nrows - PAGE_LARGEST);
	else
		cells_add(c, ROLE_FUNCTION, t->rows[line->b].label);
}

static void age_cells(const struct stack_view *v, uint32_t k, struct cells *c)
{
	const struct page *p = v->page;
	uint64_t whole = 0;
	struct sm_buf *text;

	for (uint32_t i = 0; i < SM_AGES; i++)
		whole += p->ages[i].bytes;
	add_value(v, SM_M_LIVE_BYTES, p->ages[k].bytes, c);
	add_percent(p->ages[k].bytes, whole, c);
	cells_add(c, ROLE_TEXT, " ");
	cells_bar(c, ROLE_BAR, v->bar, whole ? (double)p->ages[k].bytes / (double)whole : 0);
	cells_add(c, ROLE_TEXT, " ");
	cells_fix(c);
	text = cells_begin(c, ROLE_TEXT);
	if (!text)
		return;
	sm_buf_adds(text, k < SM_AGES - 1 ? "< " : ">= ");
	page_bound(sm_age_bounds[k < SM_AGES - 1 ? k : k - 1], text);
	cells_begin(c, ROLE_DIM);
	sm_buf_adds(text, "  ");
	sm_human_count(p->ages[k].count, text);
	sm_buf_adds(text, p->ages[k].count == 1 ? " object" : " objects");
}

static void ages_cells(const struct stack_view *v, struct cells *c)
{
	uint64_t count = 0;
	struct sm_buf *text;

	for (uint32_t i = 0; i < SM_AGES; i++)
		count += v->page->ages[i].count;
	cells_add(c, ROLE_FUNCTION, "age of what is live");
	text = cells_begin(c, ROLE_TEXT);
	if (!text)
		return;
	if (!count) {
		sm_buf_adds(text, ": nothing is");
		return;
	}
	if (!v->page->oldest_ns) {
		sm_buf_adds(text, ": it came last");
		return;
	}
	sm_buf_adds(text, ", the oldest ");
	sm_human_ns(v->page->oldest_ns, text);
}

void page_line_cells(const struct stack_view *v, const struct page_line *line, struct cells *c)
{
	cells_reset(c);
	switch (line->kind) {
	case PAGE_BLANK:
		break;
	case PAGE_NOTE:
		cells_add(c, ROLE_WARNING,
			v->page->pick.left_out ? "the filters leave this stack out"
					       : "nothing of this stack is counted now");
		break;
	case PAGE_FIGURES:
		figures_cells(v, line, c);
		break;
	case PAGE_KEY:
		cells_add(c, ROLE_DIM, "stack key   ");
		cells_addf(c, ROLE_TEXT, "0x%016llx", (unsigned long long)v->page->key);
		break;
	case PAGE_IDS:
		ids_cells(v, c);
		break;
	case PAGE_FRAMES:
		cells_addf(c, ROLE_FUNCTION, "frames, innermost first (%u)", v->depth);
		break;
	case PAGE_LABEL:
		cells_addf(c, ROLE_TEXT, "     %s", v->label);
		break;
	case PAGE_INLINED:
		inlined_cells(v, line, c);
		break;
	case PAGE_FRAME:
		frame_cells(v, line->a, c);
		break;
	case PAGE_UNKNOWN:
		if (line->a >= PAGE_ATTRS) {
			cells_add(c, ROLE_FUNCTION, "comm, cache, gfp, size, event, order, age: ");
			cells_add(c, ROLE_DIM, "not known: this input has no events");
			break;
		}
		cells_addf(
			c, ROLE_FUNCTION, "%s: ", group_word(SM_GROUP_ATTR, page_attrs[line->a]));
		cells_add(c, ROLE_DIM, page_no_share(v->page, page_attrs[line->a]));
		break;
	case PAGE_ONE:
		cells_addf(
			c, ROLE_FUNCTION, "%s: ", group_word(SM_GROUP_ATTR, page_attrs[line->a]));
		cells_add(c, ROLE_TEXT, v->page->shares[line->a]->rows[0].label);
		break;
	case PAGE_SHARES:
		cells_addf(c, ROLE_FUNCTION, "%s", group_word(SM_GROUP_ATTR, page_attrs[line->a]));
		cells_addf(c, ROLE_DIM, ", by %s (%zu)", sm_metric_name(v->page->shares_by),
			v->page->shares[line->a]->nrows);
		break;
	case PAGE_SHARE:
	case PAGE_REST:
		share_cells(v, line, c);
		break;
	case PAGE_AGES:
		ages_cells(v, c);
		break;
	case PAGE_AGE:
		age_cells(v, line->a, c);
		break;
	case PAGE_NO_AGES:
		cells_add(c, ROLE_FUNCTION, "age: ");
		cells_add(c, ROLE_DIM, page_no_ages(v->page));
		break;
	}
}
