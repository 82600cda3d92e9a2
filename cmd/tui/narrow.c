/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "reading.h"

struct narrow *narrow_new(
	const struct narrow *parent, enum sm_group group, enum sm_attr attr, const char *label)
{
	size_t size = strlen(label) + 1;
	struct narrow *n = malloc(sizeof(*n) + size);

	if (!n)
		return NULL;
	atomic_init(&n->refs, 1);
	n->parent = narrow_get(parent);
	n->group = group;
	n->attr = attr;
	n->match = SM_MATCH_EXACT;
	memcpy(n->label, label, size);
	return n;
}

struct narrow *narrow_new_matched(const struct narrow *parent, enum sm_group group,
	enum sm_attr attr, enum sm_match match, const char *label)
{
	struct narrow *n = narrow_new(parent, group, attr, label);

	if (n)
		n->match = match;
	return n;
}

const struct narrow *narrow_get(const struct narrow *n)
{
	if (n)
		atomic_fetch_add((atomic_uint *)(uintptr_t)&n->refs, 1);
	return n;
}

void narrow_put(const struct narrow *n)
{
	while (n && atomic_fetch_sub((atomic_uint *)(uintptr_t)&n->refs, 1) == 1) {
		const struct narrow *parent = n->parent;

		free((void *)(uintptr_t)n);
		n = parent;
	}
}

const char *group_word(enum sm_group group, enum sm_attr attr)
{
	switch (group) {
	case SM_GROUP_STACK:
		return "stack";
	case SM_GROUP_FUNCTION:
		return "function";
	case SM_GROUP_CALLER:
		return "caller";
	case SM_GROUP_MODULE:
		return "module";
	case SM_GROUP_ATTR:
		break;
	}
	return sm_attr_name(attr);
}

bool group_find(const char *word, enum sm_group *group, enum sm_attr *attr)
{
	size_t len;

	for (unsigned i = 0;; i++) {
		const char *at = selection_group_word(i, &len);
		struct selection s = {0};

		if (!len)
			return false;
		if (strlen(word) != len || memcmp(at, word, len) != 0)
			continue;
		selection_group(&s, i);
		*group = s.table.group;
		*attr = s.profile.attr;
		return true;
	}
}

void narrow_text(const struct narrow *n, struct sm_buf *text)
{
	sm_buf_addf(text, "%s=%s", group_word(n->group, n->attr), n->label);
}

/* Of the table's rows, the ones that are the group: several where it is one of a comparison. */
static bool mark_groups(const struct sm_table *table, const struct narrow *n, uint8_t *wanted)
{
	struct sm_buf text = {0};

	for (size_t i = 0; i < table->nrows; i++) {
		if (!table->rows[i].label)
			continue;
		sm_buf_reset(&text);
		sm_match_label(n->match, n->group, table->rows[i].label, &text);
		if (text.failed)
			break;
		wanted[i] = !strcmp(text.len ? text.data : "", n->label);
	}
	sm_buf_release(&text);
	return !text.failed;
}

/* Leaves those of `rows` that are in the group called `label`. */
static struct sm_error *keep_group(
	struct reading *r, const struct sm_profile *profile, const struct narrow *n, uint8_t *rows)
{
	struct sm_table_opts opts = r->question->selection.table;
	struct sm_table *table = NULL;
	uint8_t *wanted = NULL;
	uint32_t *of = NULL;
	struct sm_error *err;

	opts.by = profile->known & 1u << SM_M_COUNT ? SM_M_COUNT : SM_M_REF_COUNT;
	if (!(profile->known & 1u << opts.by))
		opts.by = SM_M_LIVE_COUNT;
	opts.group = n->group;
	opts.attr = n->attr;
	opts.rows = rows;
	opts.limit = 0;
	opts.unsorted = true;
	opts.every_row = true;
	err = sm_table_build(profile, r->side->in.syms, &opts, &table);
	if (!err) {
		of = malloc((profile->nrows + 1) * sizeof(*of));
		wanted = calloc(table->nrows + 1, 1);
		if (!of || !wanted || !mark_groups(table, n, wanted))
			err = sm_error_nomem();
	}
	if (!err) {
		sm_table_rows_of(table, of);
		/* A group that isn't there (any more) has no rows. */
		for (size_t i = 0; i < profile->nrows; i++)
			rows[i] &= of[i] != UINT32_MAX && wanted[of[i]];
	}
	free(wanted);
	free(of);
	sm_table_free(table);
	return err;
}

/* Which attributes must be told apart, bit per attribute. */
static uint32_t attrs_of(const struct narrow *n, enum sm_group group, enum sm_attr attr)
{
	uint32_t attrs = group == SM_GROUP_ATTR ? 1u << attr : 0;

	for (; n; n = n->parent)
		if (n->group == SM_GROUP_ATTR)
			attrs |= 1u << n->attr;
	return attrs;
}

struct sm_error *reading_part(struct reading *r, struct job *job, const struct narrow *narrow,
	enum sm_group group, enum sm_attr attr, const struct sm_profile **profile, uint8_t **rows)
{
	uint32_t attrs = attrs_of(narrow, group, attr);
	struct sm_error *err = NULL;

	*rows = NULL;
	*profile = r->profile;
	if (attrs) {
		err = reading_detail(r, job, attrs & ~READING_ATTRS, profile);
		if (!err && !*profile)
			err = sm_error_new(SM_E_USAGE, NULL, "not known of this input",
				"it has no events: only stacks, functions, callers and modules can "
				"be told apart");
	}
	if (err || !narrow)
		return err;
	*rows = malloc((*profile)->nrows + 1);
	if (!*rows)
		return sm_error_nomem();
	memset(*rows, 1, (*profile)->nrows + 1);
	for (; !err && narrow; narrow = narrow->parent)
		err = keep_group(r, *profile, narrow, *rows);
	if (err) {
		free(*rows);
		*rows = NULL;
	}
	return err;
}

struct sm_error *profile_part(
	const struct sm_profile *profile, const uint8_t *rows, struct sm_profile *part)
{
	struct sm_row *items;
	size_t n = 0;

	*part = *profile;
	if (!rows)
		return NULL;
	items = malloc((profile->nrows + 1) * sizeof(*items));
	if (!items)
		return sm_error_nomem();
	memset(part->totals, 0, SM_M_ADDITIVE * sizeof(part->totals[0]));
	for (size_t i = 0; i < profile->nrows; i++) {
		if (!rows[i])
			continue;
		items[n++] = profile->rows[i];
		for (unsigned m = 0; m < SM_M_ADDITIVE; m++)
			part->totals[m] += profile->rows[i].m[m];
	}
	part->rows = items;
	part->nrows = n;
	return NULL;
}

struct sm_error *reading_copy_part(
	struct reading *r, struct job *job, const struct narrow *narrow, struct sm_profile *part)
{
	const struct sm_profile *profile;
	struct sm_error *err;
	uint8_t *rows = NULL;

	err = reading_part(r, job, narrow, SM_GROUP_STACK, SM_ATTR_NONE, &profile, &rows);
	if (!err)
		err = profile_part(profile, rows, part);
	free(rows);
	return err;
}
