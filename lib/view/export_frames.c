/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "export.h"

void export_resolve(const struct sm_symbols *syms, uint64_t ip, struct export_symbol *s)
{
	struct sm_symbol sym;

	*s = (struct export_symbol){.module = "[unknown]"};
	if (ip == SM_TRAMPOLINE) {
		s->name = "[FTRACE TRAMPOLINE]";
		s->module = "[kernel]";
		return;
	}
	if (!syms)
		return;
	s->nlines = sm_symbols_lines(syms, ip, SM_ADDRESS_RETURN, &s->lines);
	if (sm_symbols_find_caller(syms, ip, &sym)) {
		s->name = sym.name;
		s->offset = sym.offset;
		s->module = sym.module ? sym.module : "[kernel]";
		s->build_id = sm_symbols_build_id_at(syms, ip, &sym);
	} else if (s->nlines) {
		s->name = s->lines[s->nlines - 1].function;
		s->module = "[kernel]";
	}
}

struct sm_error *export_prepare(const struct sm_export_side *side)
{
	const struct sm_profile *p = side->profile;
	struct sm_preparation prep;

	sm_preparation_init(&prep, side->syms, true);
	for (size_t i = 0; i < p->nrows; i++) {
		struct sm_stack stack;

		if (p->rows[i].stack >= SM_STACK_MAX)
			continue;
		stack = sm_stacks_get(p->trace->stacks, p->rows[i].stack);
		if (!sm_preparation_add(&prep, stack.ips, stack.depth))
			break;
	}
	return sm_preparation_finish(&prep);
}

/* The text, made visible, as a string. */
static uint32_t intern(struct export_frames *f, const char *text)
{
	uint32_t id;

	if (!text)
		return SM_NO_STRING;
	sm_buf_reset(&f->text);
	sm_buf_add_visible(&f->text, text, strlen(text));
	id = f->text.failed
		     ? SM_NO_STRING
		     : sm_strings_add(&f->strings, f->text.len ? f->text.data : "", f->text.len);
	return id;
}

/* SM_NO_STRING when memory is short. */
static uint32_t add_frame(struct export_frames *f, const struct export_frame *frame)
{
	const uint32_t key[] = {
		frame->name,
		f->by & EXPORT_BY_MODULE ? frame->module : 0,
		f->by & EXPORT_BY_FILE ? frame->file : 0,
		f->by & EXPORT_BY_INLINED ? frame->inlined : 0,
		frame->code,
	};
	size_t before = f->keys.n;
	uint32_t id;

	if (frame->name == SM_NO_STRING ||
		!sm_grow(&f->items, &f->cap, before + 1, sizeof(*f->items)))
		return SM_NO_STRING;
	id = sm_strings_add(&f->keys, (const char *)key, sizeof(key));
	if (id == SM_NO_STRING)
		return id;
	if (f->keys.n > before)
		f->items[id] = *frame;
	else if (f->items[id].line != frame->line)
		f->items[id].line = 0;
	return id;
}

uint32_t export_frames_label(struct export_frames *f, const char *text)
{
	struct export_frame frame = {
		.name = intern(f, text),
		.module = SM_NO_STRING,
		.file = SM_NO_STRING,
	};

	return add_frame(f, &frame);
}

/* Adds one of an address's frames to `levels`. */
static bool add_level(struct export_frames *f, const char *name, const char *module,
	const struct sm_line *line, bool inlined)
{
	struct export_frame frame = {
		.name = intern(f, name ? name : "??"),
		.module = intern(f, module),
		.file = intern(f, line ? line->file : NULL),
		.line = line ? line->line : 0,
		.inlined = inlined,
		.code = true,
	};
	uint32_t id = add_frame(f, &frame);

	if (id == SM_NO_STRING ||
		!sm_grow(&f->levels, &f->levels_cap, f->nlevels + 1, sizeof(*f->levels)))
		return false;
	f->levels[f->nlevels++] = id;
	return true;
}

static bool fill(struct export_frames *f, struct export_address *a, const struct sm_symbols *syms)
{
	struct export_symbol s;
	struct sm_buf hex = {0};
	size_t first = f->nlevels;
	bool ok = true;

	export_resolve(syms, a->ip, &s);
	for (size_t i = 0; ok && i + 1 < s.nlines; i++)
		ok = add_level(f, s.lines[i].function, s.module, &s.lines[i], true);
	if (!s.name)
		sm_buf_addf(
			&hex, "0x%llx", (unsigned long long)sm_symbols_shown_address(syms, a->ip));
	ok = ok && !hex.failed &&
	     add_level(f, s.name ? s.name : hex.data, s.module,
		     s.nlines ? &s.lines[s.nlines - 1] : NULL, false);
	sm_buf_release(&hex);
	if (!ok || f->nlevels > UINT32_MAX)
		return false;
	a->first = (uint32_t)first;
	a->n = (uint32_t)(f->nlevels - first);
	return true;
}

static size_t home_of(uint64_t ip, size_t nslots)
{
	return (size_t)((ip * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (nslots - 1);
}

static bool grow(struct export_frames *f, unsigned side)
{
	size_t nslots = f->nslots[side] ? f->nslots[side] * 2 : 1024;
	struct export_address *slots = calloc(nslots, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 0; i < f->nslots[side]; i++) {
		size_t at = home_of(f->slots[side][i].ip, nslots);

		if (!f->slots[side][i].n)
			continue;
		while (slots[at].n)
			at = (at + 1) & (nslots - 1);
		slots[at] = f->slots[side][i];
	}
	free(f->slots[side]);
	f->slots[side] = slots;
	f->nslots[side] = nslots;
	return true;
}

uint32_t export_frames_of(struct export_frames *f, unsigned side, const struct sm_symbols *syms,
	uint64_t ip, const uint32_t **ids)
{
	struct export_address *a;
	size_t i;

	if (f->nused[side] * 2 >= f->nslots[side] && !grow(f, side))
		return 0;
	for (i = home_of(ip, f->nslots[side]);; i = (i + 1) & (f->nslots[side] - 1)) {
		a = &f->slots[side][i];
		if (!a->n || a->ip == ip)
			break;
	}
	if (!a->n) {
		a->ip = ip;
		if (!fill(f, a, syms))
			return 0;
		f->nused[side]++;
	}
	*ids = f->levels + a->first;
	return a->n;
}

static int compare_strings(const struct export_frames *f, uint32_t a, uint32_t b)
{
	const char *x = export_string(f, a), *y = export_string(f, b);

	return a == b ? 0 : strcmp(x ? x : "", y ? y : "");
}

static int compare_frames(const void *a, const void *b, void *frames)
{
	const struct export_frames *f = frames;
	const struct export_frame *x = &f->items[*(const uint32_t *)a];
	const struct export_frame *y = &f->items[*(const uint32_t *)b];
	int c = compare_strings(f, x->name, y->name);

	if (!c)
		c = compare_strings(f, x->module, y->module);
	if (!c)
		c = compare_strings(f, x->file, y->file);
	if (!c)
		c = x->inlined - y->inlined;
	return c ? c : x->code - y->code;
}

bool export_frames_sort(struct export_frames *f, uint32_t **rank)
{
	size_t n = f->keys.n;
	uint32_t *order = malloc((n + 1) * sizeof(*order));
	struct export_frame *items = malloc((n + 1) * sizeof(*items));

	*rank = malloc((n + 1) * sizeof(**rank));
	if (!order || !items || !*rank) {
		free(order);
		free(items);
		return false;
	}
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	if (n)
		qsort_r(order, n, sizeof(*order), compare_frames, f);
	for (uint32_t i = 0; i < n; i++) {
		(*rank)[order[i]] = i;
		items[i] = f->items[order[i]];
	}
	free(order);
	free(f->items);
	f->items = items;
	/* No more frames come: keys and addresses have the old ids. */
	return true;
}

void export_frames_release(struct export_frames *f)
{
	sm_strings_release(&f->strings);
	sm_strings_release(&f->keys);
	free(f->items);
	free(f->slots[0]);
	free(f->slots[1]);
	free(f->levels);
	sm_buf_release(&f->text);
}
