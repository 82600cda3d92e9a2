/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a profile's rows to the ones that are shown: frames trimmed and hidden, rows chosen by their
 * frames, merged by what is left or grouped by a name, and the largest of them sorted.
 */
#include <stdlib.h>

#include "internal.h"

#define SPREAD_BYTES ((SM_M_NR - SM_M_ADDITIVE) * sizeof(uint64_t))

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

static const char *intern(struct sm_table *table, struct sm_buf *text)
{
	struct sm_strings *s = &table->priv->trim.cache.strings;

	return text->failed ? NULL : sm_strings_get(s, sm_strings_add(s, text->data, text->len));
}

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

/* The name of the group that a frame is in. NULL when memory is short. */
static const char *frame_label(struct sm_table *table, uint64_t ip)
{
	const struct frame_info *info = sm_frame_cache_get(&table->priv->trim.cache, ip);
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

/* The row of a frame's function; each address is asked about once. NULL when memory is short. */
static struct work_row *function_work(struct sm_table *table, uint64_t ip)
{
	struct sm_table_private *p = table->priv;
	struct frame_info *info = sm_frame_cache_get(&p->trim.cache, ip);
	struct work_row *w;
	const char *label;

	if (!info)
		return NULL;
	if (info->work_plus_1)
		return &p->work[info->work_plus_1 - 1];
	label = frame_label(table, ip);
	w = label ? find_work(table, label, NULL, 0) : NULL;
	/* It may have moved. */
	info = sm_frame_cache_get(&p->trim.cache, ip);
	if (w && info)
		info->work_plus_1 = (uint32_t)(w - p->work) + 1;
	return w;
}

/* Adds the value to each function of the stack, once to those that recur in it. */
static bool add_cumulative(struct sm_table *table, const struct sm_trimmed *f, uint32_t index)
{
	uint64_t value = table->profile->rows[index].m[table->opts.by];

	for (uint32_t i = 0; i < f->depth; i++) {
		struct work_row *w = function_work(table, f->ips[i]);

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
static bool group_row(struct sm_table *table, uint32_t index, const struct sm_trimmed *f)
{
	const struct sm_row *row = &table->profile->rows[index];
	const char *label = NULL;
	struct work_row *w;

	if (table->opts.group == SM_GROUP_ATTR && table->opts.attr != SM_ATTR_NONE) {
		label = sm_profile_value(table->profile, row->attr, table->opts.attr);
	} else if (table->opts.group == SM_GROUP_ATTR) {
		label = "";
	} else if (f->depth) {
		label = frame_label(table, f->ips[0]);
	} else {
		label = sm_stack_label(row->stack);
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
	struct sm_trimmed *frames = malloc((profile->nrows + 1) * sizeof(*frames));
	bool ok = frames != NULL, changed = false, merging;
	uint64_t least;

	p->chain = malloc((profile->nrows + 1) * sizeof(*p->chain));
	ok &= p->chain != NULL;
	if (ok)
		sm_huge_hint(frames, (profile->nrows + 1) * sizeof(*frames));
	for (uint32_t i = 0; ok && i < profile->nrows; i++) {
		if (!sm_table_takes(table, i))
			continue;
		ok = sm_trim_stack(&p->trim, profile->rows[i].stack, &frames[i]);
		changed |= frames[i].changed;
	}
	/* Rows with attributes may share a stack. */
	changed |= profile->attrs != 0;
	merging = changed || table->opts.group != SM_GROUP_STACK;
	least = merging || p->trim.cache.focus.n || p->trim.cache.ignore.n ? 0
									   : sm_table_least(table);
	for (uint32_t i = 0; ok && i < profile->nrows; i++) {
		const struct sm_trimmed *f = &frames[i];
		uint32_t stack = profile->rows[i].stack;
		struct work_row *w;

		if (!sm_table_takes(table, i) || f->left_out)
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
			const char *label = f->depth ? NULL : sm_stack_label(stack);

			w = find_work(table, label, f->ips, f->depth);
		}
		ok = w != NULL;
		if (ok)
			add_row(table, w, i);
	}
	free(frames);
	return ok;
}

static struct sm_error *check_metric(const struct sm_profile *profile, enum sm_metric by)
{
	struct sm_buf keys = {0};
	struct sm_error *err;

	if (profile->known & (1u << by))
		return NULL;
	sm_metric_list(profile->known, &keys);
	err = sm_error_new(SM_E_USAGE, sm_source_path(profile->trace->src),
		"nothing to rank by that key", "'%s' isn't known of this input; known are: %s",
		sm_metric_name(by), keys.data ? keys.data : "none");
	sm_buf_release(&keys);
	return err;
}

static struct sm_error *check_attr(
	const struct sm_profile *profile, const struct sm_table_opts *opts)
{
	if (opts->group != SM_GROUP_ATTR || opts->attr == SM_ATTR_NONE ||
		profile->attrs & 1u << opts->attr)
		return NULL;
	return sm_error_new(SM_E_USAGE, sm_source_path(profile->trace->src),
		"rows don't have that attribute",
		"it isn't told by this input, or wasn't asked for");
}

struct sm_error *sm_table_build(const struct sm_profile *profile, const struct sm_symbols *syms,
	const struct sm_table_opts *opts, struct sm_table **out)
{
	struct sm_table *table;
	struct sm_error *err = check_metric(profile, opts->by);

	*out = NULL;
	if (!err)
		err = check_attr(profile, opts);
	if (err)
		return err;
	table = calloc(1, sizeof(*table));
	if (!table)
		return sm_error_nomem();
	table->profile = profile;
	table->syms = syms;
	table->opts = *opts;
	if (table->opts.attr == SM_ATTR_NONE)
		table->opts.attr = profile->attr;
	table->known = profile->known;
	if (opts->group != SM_GROUP_STACK)
		table->known &= (1u << SM_M_ADDITIVE) - 1;
	memcpy(&table->totals[SM_M_ADDITIVE], &profile->totals[SM_M_ADDITIVE], SPREAD_BYTES);
	table->priv = calloc(1, sizeof(*table->priv));
	if (!table->priv) {
		free(table);
		return sm_error_nomem();
	}
	err = sm_trim_init(&table->priv->trim, profile, syms, opts);
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
	table->opts.rows = NULL;
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
	sm_trim_release(&table->priv->trim);
	free(table->priv->work);
	free(table->priv->chain);
	free(table->priv->first);
	free(table->priv->slots);
	free(table->priv);
	free(table);
}
