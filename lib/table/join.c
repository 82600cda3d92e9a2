/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "join.h"

#define FIRST_SLOTS 1024

/*
 * The events or objects that a value stands for: it is them whose number has chance in it. Nobody
 * counted those that were live at the peak: as many as it has bytes of their mean size.
 */
static uint64_t count_behind(const struct sm_table_row *row, enum sm_metric by)
{
	const uint64_t *m = row->m;

	switch (by) {
	case SM_M_LIVE_BYTES:
	case SM_M_LIVE_COUNT:
		return m[SM_M_LIVE_COUNT];
	case SM_M_PEAK_BYTES: {
		double size = m[SM_M_COUNT] ? (double)m[SM_M_BYTES] / (double)m[SM_M_COUNT] : 0;

		return size > 0 ? (uint64_t)((double)m[by] / size + 0.5) : 0;
	}
	case SM_M_FREES:
	case SM_M_REF_COUNT:
	case SM_M_MACHINES:
		return m[by];
	case SM_M_MEDIAN:
	case SM_M_P95:
		return 0;
	default:
		return m[SM_M_COUNT];
	}
}

void sm_match_label(
	enum sm_match match, enum sm_group group, const char *label, struct sm_buf *text)
{
	const char *module = strstr(label, " ["), *offset;
	size_t len = module ? (size_t)(module - label) : strlen(label);

	if (match != SM_MATCH_FUNCTION || label[0] == '[' ||
		(group != SM_GROUP_FUNCTION && group != SM_GROUP_CALLER)) {
		sm_buf_adds(text, label);
		return;
	}
	offset = group == SM_GROUP_CALLER ? memmem(label, len, "+0x", 3) : NULL;
	if (offset)
		len = (size_t)(offset - label);
	sm_buf_add(text, label, sm_plain_name(label, len));
	sm_buf_adds(text, module ? module : "");
}

/* NULL when memory is short. */
static const char *matched_label(struct join *j, const struct sm_table *table, const char *label)
{
	struct sm_buf text = {0};

	if (j->identities.match != SM_MATCH_FUNCTION)
		return label;
	sm_match_label(j->identities.match, table->opts.group, label, &text);
	label = text.failed ? NULL
			    : sm_strings_get(
				      &j->labels, sm_strings_add(&j->labels, text.data, text.len));
	sm_buf_release(&text);
	return label;
}

/* The identities of a stack's frames, in j->scratch, and their hash. */
static bool number_frames(struct join *j, const struct sm_table_row *row,
	struct address_numbers *numbers, uint64_t *hash)
{
	uint64_t h = row->depth;

	if (!sm_grow(&j->scratch, &j->scratch_cap, row->depth, sizeof(*j->scratch)))
		return false;
	if (!sm_identities_of(&j->identities, numbers, row->ips, row->depth, j->scratch))
		return false;
	for (uint32_t i = 0; i < row->depth; i++) {
		h = (h ^ j->scratch[i]) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 29;
	}
	*hash = h;
	return true;
}

static bool same(const struct joined_row *a, uint64_t hash, const char *label,
	const uint32_t *frames, uint32_t depth)
{
	if (a->hash != hash)
		return false;
	if (label || a->label)
		return label && a->label && !strcmp(label, a->label);
	return a->depth == depth && !memcmp(a->frames, frames, depth * sizeof(*frames));
}

static bool grow_slots(struct join *j)
{
	size_t nslots = j->nslots ? 2 * j->nslots : FIRST_SLOTS;
	uint32_t *slots = calloc(nslots, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t r = 0; r < j->n; r++) {
		size_t i = j->rows[r].hash & (nslots - 1);

		while (slots[i])
			i = (i + 1) & (nslots - 1);
		slots[i] = (uint32_t)r + 1;
	}
	free(j->slots);
	j->slots = slots;
	j->nslots = nslots;
	return true;
}

/* Room for one more row, zeroed. */
static bool reserve(struct join *j)
{
	size_t n = (j->n + 1) * j->ninputs;

	if (j->n >= UINT32_MAX - 1 || !sm_grow(&j->rows, &j->cap, j->n + 1, sizeof(*j->rows)) ||
		!sm_grow(&j->values, &j->values_cap, n, sizeof(*j->values)) ||
		!sm_grow(&j->counts, &j->counts_cap, n, sizeof(*j->counts)))
		return false;
	memset(&j->rows[j->n], 0, sizeof(*j->rows));
	memset(&j->values[j->n * j->ninputs], 0, j->ninputs * sizeof(*j->values));
	memset(&j->counts[j->n * j->ninputs], 0, j->ninputs * sizeof(*j->counts));
	return true;
}

/* The row of these frames, in j->scratch, or of this label; NULL when memory is short. */
static struct joined_row *find(struct join *j, uint64_t hash, const char *label, uint32_t depth)
{
	struct joined_row *r;
	size_t i;

	if (j->n * 2 >= j->nslots && !grow_slots(j))
		return NULL;
	for (i = hash & (j->nslots - 1); j->slots[i]; i = (i + 1) & (j->nslots - 1)) {
		r = &j->rows[j->slots[i] - 1];
		if (same(r, hash, label, j->scratch, depth))
			return r;
	}
	if (!reserve(j))
		return NULL;
	r = &j->rows[j->n];
	r->hash = hash;
	r->label = label;
	r->depth = label ? 0 : depth;
	if (!label) {
		uint32_t *frames = sm_arena_alloc(&j->arena, depth * sizeof(*frames));

		if (!frames)
			return NULL;
		r->frames = memcpy(frames, j->scratch, depth * sizeof(*frames));
	}
	j->slots[i] = (uint32_t)++j->n;
	return r;
}

bool sm_join_stopped(struct join *j, size_t row)
{
	if (j->ask && row % 1024 == 0 && j->ask(j->ask_ctx))
		j->stopped = true;
	return j->stopped;
}

bool sm_join_add(
	struct join *j, const struct sm_table *table, size_t input, struct address_numbers *numbers)
{
	enum sm_metric by = table->opts.by;

	for (size_t i = 0; i < table->nrows; i++) {
		const struct sm_table_row *row = &table->rows[i];
		const char *label = row->label;
		struct joined_row *joined;
		uint64_t hash;
		size_t at;

		if (sm_join_stopped(j, i))
			return false;
		/* A function that is there only for what its callees have. */
		if (!row->m[by])
			continue;
		if (label) {
			label = matched_label(j, table, label);
			if (!label)
				return false;
			hash = sm_fnv(SM_FNV_INIT, label, strlen(label));
		} else if (!number_frames(j, row, numbers, &hash)) {
			return false;
		}
		joined = find(j, hash, label, row->depth);
		if (!joined)
			return false;
		joined->input = (uint32_t)input;
		joined->row = row;
		at = (size_t)(joined - j->rows) * j->ninputs + input;
		/* Medians don't add up. */
		if (by < SM_M_ADDITIVE)
			j->values[at] += row->m[by];
		else if (row->m[by] > j->values[at])
			j->values[at] = row->m[by];
		j->counts[at] += count_behind(row, by);
	}
	return true;
}

int sm_join_compare(const struct join *j, const struct joined_row *a, const struct joined_row *b)
{
	const struct identity *of = j->identities.items;

	if (a->label && b->label)
		return strcmp(a->label, b->label);
	if (a->label || b->label)
		return a->label ? 1 : -1;
	for (uint32_t i = 0; i < a->depth && i < b->depth; i++) {
		uint64_t x = of[a->frames[i]].hash, y = of[b->frames[i]].hash;

		if (x != y)
			return x < y ? -1 : 1;
	}
	return a->depth < b->depth ? -1 : a->depth > b->depth;
}

size_t sm_join_suppression(struct join *j, const struct joined_row *row)
{
	const struct identities *all = &j->identities;
	size_t first = SIZE_MAX;

	if (!all->suppressions)
		return first;
	if (row->label)
		return sm_suppressions_match(all->suppressions, row->label, all->used);
	for (uint32_t i = 0; i < row->depth; i++)
		if (all->items[row->frames[i]].suppression < first)
			first = all->items[row->frames[i]].suppression;
	return first;
}

void sm_join_release(struct join *j)
{
	sm_identities_release(&j->identities);
	free(j->rows);
	free(j->values);
	free(j->counts);
	free(j->slots);
	free(j->scratch);
	sm_arena_release(&j->arena);
	sm_strings_release(&j->labels);
}
