/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The members of an archive, by name. */
#include "internal.h"

#include <stdlib.h>

#define DEBUG_TRACING "sys/kernel/debug/tracing"

enum layout { LAYOUT_OTHER, LAYOUT_CAPTURE, LAYOUT_TRACING };

bool sm_members_add(struct members *m, const char *name, const struct member *at)
{
	struct member *v;

	if (!sm_grow(&m->v, &m->cap, m->n + 1, sizeof(*m->v)))
		return false;
	v = &m->v[m->n];
	*v = *at;
	v->order = m->n;
	v->name = sm_arena_strndup(&m->arena, name, strlen(name));
	if (!v->name)
		return false;
	m->n++;
	return true;
}

/* What the names are once `cut` bytes are taken off each. */
static enum layout find_layout(const struct members *m, size_t cut)
{
	enum layout layout = LAYOUT_OTHER;

	for (size_t i = 0; i < m->n; i++) {
		const char *name = m->v[i].name + cut;

		if (sm_names_under(name, "sys") || sm_names_under(name, "proc") ||
			!strcmp(name, "smtool.json"))
			return LAYOUT_CAPTURE;
		if (!strcmp(name, "events/header_page") || sm_names_under(name, "per_cpu") ||
			!strcmp(name, "stack_map_bin"))
			layout = LAYOUT_TRACING;
	}
	return layout;
}

/* Length of the first component that all names share after `cut`, with its slash; 0 = none. */
static size_t shared_top(const struct members *m, size_t cut)
{
	const char *first = m->v[0].name + cut;
	size_t len = strcspn(first, "/") + 1;

	if (!first[len - 1])
		return 0;
	for (size_t i = 1; i < m->n; i++)
		if (strncmp(m->v[i].name + cut, first, len))
			return 0;
	return len;
}

static bool rename_below_tracing(struct members *m, struct member *v, const char *rest)
{
	size_t base = strlen(SM_TRACING), len = strlen(rest) + 1;
	char *name = sm_arena_alloc(&m->arena, base + 1 + len);

	if (!name)
		return false;
	memcpy(name, SM_TRACING "/", base + 1);
	memcpy(name + base + 1, rest, len);
	v->name = name;
	return true;
}

static bool relocate(struct members *m)
{
	size_t cut = 0, len;
	enum layout layout = find_layout(m, 0);
	bool has_tracing = false;

	while (layout == LAYOUT_OTHER && (len = shared_top(m, cut))) {
		cut += len;
		layout = find_layout(m, cut);
	}
	if (layout == LAYOUT_OTHER)
		return true;
	for (size_t i = 0; i < m->n; i++) {
		m->v[i].name += cut;
		has_tracing |= sm_names_under(m->v[i].name, SM_TRACING);
	}
	for (size_t i = 0; i < m->n; i++) {
		struct member *v = &m->v[i];
		const char *rest = NULL;

		if (layout == LAYOUT_TRACING)
			rest = v->name;
		else if (!has_tracing && sm_names_under(v->name, DEBUG_TRACING))
			rest = v->name + strlen(DEBUG_TRACING) + 1;
		if (rest && !rename_below_tracing(m, v, rest))
			return false;
	}
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	int c = strcmp(x->name, y->name);

	return c ? c : (x->order > y->order) - (x->order < y->order);
}

bool sm_members_finish(struct members *m)
{
	size_t n = 0;

	if (!m->n)
		return true;
	if (!relocate(m))
		return false;
	qsort(m->v, m->n, sizeof(*m->v), compare);
	for (size_t i = 1; i < m->n; i++) {
		if (strcmp(m->v[n].name, m->v[i].name))
			n++;
		m->v[n] = m->v[i];
	}
	m->n = n + 1;
	return true;
}

/* The first member that doesn't sort before `name`. */
static size_t lower_bound(const struct members *m, const char *name)
{
	size_t lo = 0, hi = m->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (strcmp(m->v[mid].name, name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct member *sm_members_find(const struct members *m, const char *name)
{
	size_t i = lower_bound(m, name);

	return i < m->n && !strcmp(m->v[i].name, name) ? &m->v[i] : NULL;
}

bool sm_members_list(const struct members *m, const char *dir, struct sm_names *names)
{
	size_t cap = 0, dir_len = strlen(dir);
	const char *last = NULL;
	size_t last_len = 0;

	for (size_t i = lower_bound(m, dir); i < m->n; i++) {
		const char *name = m->v[i].name, *below = name;
		size_t len;

		if (strncmp(name, dir, dir_len))
			break;
		if (dir_len) {
			if (name[dir_len] != '/')
				continue;
			below += dir_len + 1;
		}
		len = strcspn(below, "/");
		if (last && len == last_len && !memcmp(last, below, len))
			continue;
		last = below;
		last_len = len;
		if (!sm_names_add(names, &cap, below, len))
			return false;
	}
	sm_names_sort(names);
	return true;
}

void sm_members_release(struct members *m)
{
	free(m->v);
	sm_arena_release(&m->arena);
	*m = (struct members){0};
}
