/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a profile's rows to the ones that are shown: frames trimmed and hidden, rows chosen by their
 * frames, merged by what is left or grouped by a name, and the largest of them sorted.
 */
#include <stdlib.h>

#include "internal.h"

#define SPREAD_BYTES ((SM_M_NR - SM_M_ADDITIVE) * sizeof(uint64_t))

/* The frames of a row after trimming and hiding. */
struct frames {
	const uint64_t *ips;
	uint32_t depth;
	bool changed; /* differ from the stack's own: may now equal another row's */
};

/* False when memory is short. */
static bool trim(struct sm_table *table, const struct sm_stack *stack, struct frames *f)
{
	struct frame_cache *cache = &table->priv->cache;
	uint32_t skip = 0;

	f->ips = stack->ips;
	f->depth = stack->depth;
	f->changed = false;
	if (table->opts.no_skip)
		return true;
	if (stack->skip != SM_SKIP_UNKNOWN) {
		skip = stack->skip;
	} else if (table->syms) {
		for (; skip + 1 < stack->depth; skip++) {
			const struct frame_info *info = sm_frame_cache_get(cache, stack->ips[skip]);

			if (!info)
				return false;
			if (!(info->flags & FRAME_MACHINERY))
				break;
		}
	}
	f->ips += skip;
	f->depth -= skip;
	f->changed = skip > 0;
	return true;
}

static bool hide(struct sm_table *table, struct frames *f)
{
	struct frame_cache *cache = &table->priv->cache;
	uint64_t *kept = NULL;
	uint32_t n = 0;

	if (!cache->hide.n)
		return true;
	for (uint32_t i = 0; i < f->depth; i++) {
		const struct frame_info *info = sm_frame_cache_get(cache, f->ips[i]);
		bool hidden;

		if (!info)
			return false;
		hidden = info->flags & FRAME_HIDE;
		if (hidden && !kept) {
			kept = sm_arena_alloc(&table->priv->arena, f->depth * sizeof(*kept));
			if (!kept)
				return false;
			memcpy(kept, f->ips, i * sizeof(*kept));
		}
		if (kept && !hidden)
			kept[n] = f->ips[i];
		n += !hidden;
	}
	if (kept) {
		f->ips = kept;
		f->depth = n;
		f->changed = true;
	}
	return true;
}

/* Whether --focus and --ignore let the stack through: -1 when memory is short. */
static int choose(struct sm_table *table, const struct frames *f)
{
	struct frame_cache *cache = &table->priv->cache;
	uint32_t flags = 0;

	if (!cache->focus.n && !cache->ignore.n)
		return 1;
	for (uint32_t i = 0; i < f->depth; i++) {
		const struct frame_info *info = sm_frame_cache_get(cache, f->ips[i]);

		if (!info)
			return -1;
		flags |= info->flags;
	}
	if (cache->focus.n && !(flags & FRAME_FOCUS))
		return 0;
	return !(flags & FRAME_IGNORE);
}

static struct work_row *new_work(struct sm_table *table)
{
	struct sm_table_private *p = table->priv;
	struct work_row *w;

	if (!sm_grow(&p->work, &p->cap, p->nwork + 1, sizeof(*p->work)))
		return NULL;
	w = &p->work[p->nwork++];
	memset(w, 0, sizeof(*w));
	w->first = NO_ROW;
	return w;
}

static uint64_t hash_of(const char *label, const uint64_t *ips, uint32_t depth)
{
	if (label)
		return sm_hash(label, strlen(label), 1);
	return sm_hash(ips, (size_t)depth * 8, depth);
}

static bool same(const struct work_row *w, const char *label, const uint64_t *ips, uint32_t depth)
{
	if (label || w->label)
		return label && w->label && strcmp(label, w->label) == 0;
	return w->depth == depth && memcmp(w->ips, ips, (size_t)depth * 8) == 0;
}

static bool grow_slots(struct sm_table_private *p)
{
	size_t nslots = p->nslots ? p->nslots * 2 : 1024;
	uint32_t *slots = calloc(nslots, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t w = 0; w < p->nwork; w++) {
		const struct work_row *row = &p->work[w];
		size_t i = hash_of(row->label, row->ips, row->depth) & (nslots - 1);

		while (slots[i])
			i = (i + 1) & (nslots - 1);
		slots[i] = (uint32_t)w + 1;
	}
	free(p->slots);
	p->slots = slots;
	p->nslots = nslots;
	return true;
}

/* The work row of these frames, or of this label; made when it is new. NULL when memory is short.
 */
static struct work_row *find_work(
	struct sm_table *table, const char *label, const uint64_t *ips, uint32_t depth)
{
	struct sm_table_private *p = table->priv;
	struct work_row *w;
	size_t i;

	if (p->nwork * 2 >= p->nslots && !grow_slots(p))
		return NULL;
	for (i = hash_of(label, ips, depth) & (p->nslots - 1); p->slots[i];
		i = (i + 1) & (p->nslots - 1)) {
		w = &p->work[p->slots[i] - 1];
		if (same(w, label, ips, depth))
			return w;
	}
	w = new_work(table);
	if (!w)
		return NULL;
	w->label = label;
	w->ips = label ? NULL : ips;
	w->depth = label ? 0 : depth;
	p->slots[i] = (uint32_t)p->nwork;
	return w;
}

static void add_row(struct sm_table *table, struct work_row *w, uint32_t index)
{
	const struct sm_row *row = &table->profile->rows[index];

	for (unsigned k = 0; k < SM_M_ADDITIVE; k++) {
		w->m[k] += row->m[k];
		table->totals[k] += row->m[k];
	}
	if (w->first == NO_ROW)
		memcpy(&w->m[SM_M_ADDITIVE], &row->m[SM_M_ADDITIVE], SPREAD_BYTES);
	else
		table->known &= (1u << SM_M_ADDITIVE) - 1;
	table->priv->chain[index] = w->first;
	w->first = index;
}

static const char *special_label(uint32_t stack)
{
	return stack == SM_STACK_UNRESOLVED ? "[unresolved id]" : "[no stack]";
}

static const char *intern(struct sm_table *table, struct sm_buf *text)
{
	struct sm_strings *s = &table->priv->cache.strings;

	return text->failed ? NULL : sm_strings_get(s, sm_strings_add(s, text->data, text->len));
}

/* The name of the group that a frame is in. NULL when memory is short. */
/* "+0x1f/0x40", " file.c:12" */
static void add_call_site(struct sm_table *table, uint64_t ip, struct sm_buf *text)
{
	const struct sm_line *tag = sm_symbols_tag(table->syms, ip);
	struct sm_symbol sym;

	if (ip == SM_TRAMPOLINE || !table->syms || !sm_symbols_find_caller(table->syms, ip, &sym))
		return;
	if (tag) {
		sm_buf_addf(text, " %s:%u", tag->file, tag->line);
		return;
	}
	sm_buf_addf(text, "+0x%llx", (unsigned long long)sym.offset);
	if (sym.size)
		sm_buf_addf(text, "/0x%llx", (unsigned long long)sym.size);
}

static const char *frame_label(struct sm_table *table, uint64_t ip)
{
	const struct frame_info *info = sm_frame_cache_get(&table->priv->cache, ip);
	struct sm_buf text = {0};
	const char *label;

	if (!info)
		return NULL;
	if (table->opts.group == SM_GROUP_MODULE)
		return info->module;
	sm_buf_adds(&text, info->function);
	if (table->opts.group == SM_GROUP_CALLER)
		add_call_site(table, ip, &text);
	if (info->module[0] != '[')
		sm_buf_addf(&text, " [%s]", info->module);
	label = intern(table, &text);
	sm_buf_release(&text);
	return label;
}

/* Adds the value to each function of the stack, once to those that recur in it. */
static bool add_cumulative(struct sm_table *table, const struct frames *f, uint32_t index)
{
	uint64_t value = table->profile->rows[index].m[table->opts.by];

	for (uint32_t i = 0; i < f->depth; i++) {
		const char *label = frame_label(table, f->ips[i]);
		struct work_row *w = label ? find_work(table, label, NULL, 0) : NULL;

		if (!w)
			return false;
		if (w->stamp == index + 1)
			continue;
		w->stamp = index + 1;
		w->cumulative += value;
	}
	return true;
}

/* Puts one profile row into its group. */
static bool group_row(struct sm_table *table, uint32_t index, const struct frames *f)
{
	const struct sm_row *row = &table->profile->rows[index];
	struct sm_buf text = {0};
	const char *label = NULL;
	struct work_row *w;

	if (table->opts.group == SM_GROUP_ATTR) {
		sm_profile_label(table->profile, row->attr, &text);
		label = intern(table, &text);
		sm_buf_release(&text);
	} else if (f->depth) {
		label = frame_label(table, f->ips[0]);
	} else {
		label = row->stack >= SM_STACK_UNRESOLVED ? special_label(row->stack)
							  : "[all frames hidden]";
	}
	if (!label)
		return false;
	w = find_work(table, label, NULL, 0);
	if (!w)
		return false;
	add_row(table, w, index);
	if (table->opts.group == SM_GROUP_CALLER && f->depth)
		w->call_site = f->ips[0];
	if (table->opts.group != SM_GROUP_FUNCTION)
		return true;
	if (f->depth)
		return add_cumulative(table, f, index);
	w->cumulative += row->m[table->opts.by];
	return true;
}

static void leave_out(struct sm_table *table, const struct sm_row *row)
{
	for (unsigned k = 0; k < SM_M_ADDITIVE; k++)
		table->totals[k] += row->m[k];
	table->priv->left_out += row->m[table->opts.by] != 0;
}

/* Trims, hides and chooses for every row; then merges or groups. */
static bool collect(struct sm_table *table)
{
	const struct sm_profile *profile = table->profile;
	struct sm_table_private *p = table->priv;
	struct frames *frames = malloc((profile->nrows + 1) * sizeof(*frames));
	bool ok = frames != NULL, changed = false, merging;
	uint64_t least;

	p->chain = malloc((profile->nrows + 1) * sizeof(*p->chain));
	ok &= p->chain != NULL;
	if (ok)
		sm_huge_hint(frames, (profile->nrows + 1) * sizeof(*frames));
	for (uint32_t i = 0; ok && i < profile->nrows; i++) {
		const struct sm_row *row = &profile->rows[i];
		struct frames *f = &frames[i];
		int chosen;

		memset(f, 0, sizeof(*f));
		if (row->stack < SM_STACK_MAX) {
			struct sm_stack stack = sm_stacks_get(profile->trace->stacks, row->stack);

			ok = trim(table, &stack, f);
		}
		chosen = ok ? choose(table, f) : -1;
		ok = chosen >= 0 && hide(table, f);
		if (chosen == 0)
			f->ips = (const uint64_t *)frames; /* left out */
		changed |= f->changed;
	}
	merging = changed || table->opts.group != SM_GROUP_STACK;
	least = merging || p->cache.focus.n || p->cache.ignore.n ? 0 : sm_table_least(table);
	for (uint32_t i = 0; ok && i < profile->nrows; i++) {
		const struct frames *f = &frames[i];
		uint32_t stack = profile->rows[i].stack;
		struct work_row *w;

		if (f->ips == (const uint64_t *)frames)
			continue;
		if (table->opts.group != SM_GROUP_STACK) {
			ok = group_row(table, i, f);
			continue;
		}
		if (f->depth && profile->rows[i].m[table->opts.by] < least) {
			leave_out(table, &profile->rows[i]);
			continue;
		}
		if (f->depth && !changed) {
			/* Interned stacks differ from each other already. */
			w = new_work(table);
			if (w) {
				w->ips = f->ips;
				w->depth = f->depth;
			}
		} else {
			const char *label = f->depth               ? NULL
					    : stack < SM_STACK_MAX ? "[all frames hidden]"
								   : special_label(stack);

			w = find_work(table, label, f->ips, f->depth);
		}
		ok = w != NULL;
		if (ok)
			add_row(table, w, i);
	}
	free(frames);
	return ok;
}

/* Where names need the slide, and that is inferred from the addresses: a part of them. */
static struct sm_error *prepare_names(const struct sm_table *table)
{
	const struct sm_stacks *stacks = table->profile->trace->stacks;
	uint32_t n = sm_stacks_count(stacks);
	uint32_t step = n < 1000 ? 1 : n / 500;
	struct sm_preparation p;

	sm_preparation_init(&p, table->syms, false);
	for (uint32_t i = 0; i < n; i += step) {
		struct sm_stack stack = sm_stacks_get(stacks, i);

		if (!sm_preparation_add(&p, stack.ips, stack.depth))
			break;
	}
	return sm_preparation_finish(&p);
}

static struct sm_error *check_metric(const struct sm_profile *profile, enum sm_metric by)
{
	struct sm_buf keys = {0};
	struct sm_error *err;

	if (profile->known & (1u << by))
		return NULL;
	for (unsigned m = 0; m < SM_M_NR; m++)
		if (profile->known & (1u << m))
			sm_buf_addf(&keys, "%s%s", keys.len ? ", " : "",
				sm_metric_name((enum sm_metric)m));
	err = sm_error_new(SM_E_USAGE, sm_source_path(profile->trace->src),
		"nothing to rank by that key", "'%s' isn't known of this input; known are: %s",
		sm_metric_name(by), keys.data ? keys.data : "none");
	sm_buf_release(&keys);
	return err;
}

struct sm_error *sm_table_build(const struct sm_profile *profile, const struct sm_symbols *syms,
	const struct sm_table_opts *opts, struct sm_table **out)
{
	struct sm_table *table;
	struct sm_error *err = check_metric(profile, opts->by);

	*out = NULL;
	if (err)
		return err;
	table = calloc(1, sizeof(*table));
	if (!table)
		return sm_error_nomem();
	table->profile = profile;
	table->syms = syms;
	table->opts = *opts;
	table->known = profile->known;
	if (opts->group != SM_GROUP_STACK)
		table->known &= (1u << SM_M_ADDITIVE) - 1;
	memcpy(&table->totals[SM_M_ADDITIVE], &profile->totals[SM_M_ADDITIVE], SPREAD_BYTES);
	table->priv = calloc(1, sizeof(*table->priv));
	if (!table->priv) {
		free(table);
		return sm_error_nomem();
	}
	err = sm_frame_cache_init(&table->priv->cache, syms, opts);
	if (!err)
		err = prepare_names(table);
	if (!err && !collect(table))
		err = sm_error_nomem();
	if (!err && !(table->known & (1u << opts->by)))
		err = sm_error_new(SM_E_USAGE, sm_source_path(profile->trace->src),
			"not known of rows that were added up",
			"'%s' is known of each stack alone: rank groups by a sum, or merge the "
			"captures anew",
			sm_metric_name(opts->by));
	if (!err && (!sm_table_select(table) || !sm_table_add_ids(table)))
		err = sm_error_nomem();
	if (err) {
		sm_table_free(table);
		return err;
	}
	*out = table;
	return NULL;
}

void sm_table_free(struct sm_table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->nrows; i++)
		free((void *)(uintptr_t)table->rows[i].stack_ids);
	free(table->rows);
	sm_frame_cache_release(&table->priv->cache);
	sm_arena_release(&table->priv->arena);
	free(table->priv->work);
	free(table->priv->chain);
	free(table->priv->first);
	free(table->priv->slots);
	free(table->priv);
	free(table);
}
