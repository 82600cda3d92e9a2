/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tree of functions over ranges of stacks. A node's stacks lie together; when it is opened they
 * are put in order of its children, in place, so that each child has a range of its own. What a row
 * needs for that is kept beside its frames' address, so a level costs one look at each stack.
 */
#include <math.h>
#include <stdlib.h>

#include "call_tree.h"

#define NONE UINT32_MAX
/* Frames lie anywhere: so many stacks ahead they are asked for. */
#define AHEAD 16

/* ---- values of the base, scaled ---- */

uint64_t sm_tree_scaled(const struct sm_tree *t, uint64_t raw)
{
	long double v;

	if (t->scale == 1)
		return raw;
	v = roundl((long double)raw * t->scale);
	return v >= 0x1p64L ? UINT64_MAX : (uint64_t)v;
}

/* Each node has a stretch of the base's total, its children and what ends in it stretches of that:
 * whatever rounding does at their ends, parts add up to the whole. */
static void take_stretch(const struct sm_tree *t, struct sm_tree_node *n, uint64_t self_raw)
{
	n->old = sm_tree_scaled(t, n->old_at + n->old_raw) - sm_tree_scaled(t, n->old_at);
	n->self_old = sm_tree_scaled(t, n->old_at + self_raw) - sm_tree_scaled(t, n->old_at);
}

/* ---- opening ---- */

/* Counts a stack in its node, which is `depth` levels deep. self_old holds the unscaled sum. */
static inline void add_path(struct sm_tree_node *n, const struct path *p, unsigned side)
{
	bool ends = p->n == n->depth;

	n->count[side]++;
	if (side == NOW) {
		n->now += p->value;
		n->self_now += ends ? p->value : 0;
	} else {
		n->old_raw += p->value;
		n->self_old += ends ? p->value : 0;
	}
	n->leaf &= ends;
}

static struct sm_tree_node *new_child(
	struct sm_tree *t, const struct sm_tree_node *parent, uint32_t number, uint64_t ip)
{
	struct sm_tree_node *child;

	if (t->nmade >= NONE - 1 ||
		!sm_grow(&t->made, &t->made_cap, t->nmade + 1, sizeof(*t->made)))
		return NULL;
	t->of_number[number] = (uint32_t)t->nmade;
	child = &t->made[t->nmade++];
	*child = (struct sm_tree_node){.function = function_of(&t->names, number),
		.module = module_of(&t->names, number),
		.ip = ip,
		.depth = parent->depth + 1,
		.leaf = true};
	return child;
}

static bool grow_numbers(struct sm_tree *t, uint32_t number)
{
	size_t had = t->nnumbers;

	if (!sm_grow(&t->of_number, &t->nnumbers, (size_t)number + 1, sizeof(*t->of_number)))
		return false;
	for (; had < t->nnumbers; had++)
		t->of_number[had] = NONE;
	return true;
}

/* Which child each of the node's stacks is in. Writes the number of each child into its `mark`. */
static bool find_children(struct sm_tree *t, const struct sm_tree_node *n, unsigned side)
{
	struct path *p = t->paths[side] + n->first[side], *end = p + n->count[side];
	ptrdiff_t at = (ptrdiff_t)n->depth * t->step;

	for (; p < end; p++) {
		struct sm_tree_node *child;
		uint32_t number;

		if (end - p > AHEAD && p[AHEAD].n > n->depth)
			__builtin_prefetch(p[AHEAD].ips + at);
		if (p->n == n->depth) {
			p->child = 0;
			continue;
		}
		number = is_label(t, p) ? (uint32_t)*p->ips
					: frame_number(&t->numbers[side], p->ips[at]);
		if (number == NO_NUMBER || (number >= t->nnumbers && !grow_numbers(t, number)))
			return false;
		if (t->of_number[number] != NONE) {
			child = &t->made[t->of_number[number]];
		} else {
			child = new_child(t, n, number, is_label(t, p) ? 0 : p->ips[at]);
			if (!child)
				return false;
			child->mark = number;
		}
		p->child = t->of_number[number] + 1;
		add_path(child, p, side);
	}
	return true;
}

/* Puts the node's stacks in order of their children, those that end in it first. t->next has where
 * each one's begin. */
static void put_in_order(struct sm_tree *t, const struct sm_tree_node *n, unsigned side)
{
	struct path *paths = t->paths[side];
	size_t end = n->first[side] + n->count[side];

	for (size_t c = t->nmade + 1; c-- > 0;) {
		/* What is behind it is in its place. */
		size_t begin = c ? t->made[c - 1].first[side] : n->first[side];

		while (t->next[c] < end) {
			struct path *p = &paths[t->next[c]];
			struct path moved = *p;

			if (moved.child == c) {
				t->next[c]++;
				continue;
			}
			*p = paths[t->next[moved.child]];
			paths[t->next[moved.child]++] = moved;
		}
		end = begin;
	}
}

static void divide(struct sm_tree *t, const struct sm_tree_node *n, unsigned side)
{
	size_t at = n->first[side], all = 0;

	for (size_t i = 0; i < t->nmade; i++)
		all += t->made[i].count[side];
	t->next[0] = at;
	at += n->count[side] - all;
	for (size_t i = 0; i < t->nmade; i++) {
		t->made[i].first[side] = t->next[i + 1] = at;
		at += t->made[i].count[side];
	}
	/* Most nodes have one child. */
	if (t->nmade > 1 || (t->nmade == 1 && all != n->count[side]))
		put_in_order(t, n, side);
}

static int compare_nodes(const void *a, const void *b)
{
	const struct sm_tree_node *x = a, *y = b;
	uint64_t vx = x->now > x->old ? x->now : x->old, vy = y->now > y->old ? y->now : y->old;
	int by_name;

	if (vx != vy)
		return vx > vy ? -1 : 1;
	by_name = strcmp(x->function, y->function);
	return by_name ? by_name : strcmp(x->module, y->module);
}

/* The children that were made, in their order and for good. */
static bool keep_children(struct sm_tree *t, struct sm_tree_node *n)
{
	uint64_t at = n->old_at;
	struct sm_tree_node *children;

	if (t->nmade > SIZE_MAX / sizeof(*children))
		return false;
	children = sm_arena_alloc(&t->arena, t->nmade * sizeof(*children));
	if (!children)
		return false;
	for (size_t i = 0; i < t->nmade; i++)
		t->made[i].old = sm_tree_scaled(t, t->made[i].old_raw);
	qsort(t->made, t->nmade, sizeof(*t->made), compare_nodes);
	for (size_t i = 0; i < t->nmade; i++)
		at -= t->made[i].old_raw;
	/* What ends in the node comes first in its stretch. */
	at += n->old_raw;
	for (size_t i = 0; i < t->nmade; i++) {
		struct sm_tree_node *child = &t->made[i];

		child->old_at = at;
		at += child->old_raw;
		take_stretch(t, child, child->self_old);
		child->nrows = child->count[NOW] + child->count[OLD];
		child->parent = n;
		child->mark = 0;
		children[i] = *child;
	}
	n->children = children;
	n->nchildren = t->nmade;
	return true;
}

struct sm_error *sm_tree_open(struct sm_tree *t, struct sm_tree_node *n)
{
	bool ok = true;

	if (n->opened)
		return NULL;
	t->nmade = 0;
	for (unsigned side = 0; ok && !n->leaf && side < SIDES; side++)
		ok = find_children(t, n, side);
	for (size_t i = 0; i < t->nmade; i++)
		t->of_number[t->made[i].mark] = NONE;
	if (ok && !n->leaf)
		ok = sm_grow(&t->next, &t->next_cap, t->nmade + 1, sizeof(*t->next));
	if (!ok)
		return sm_error_nomem();
	for (unsigned side = 0; !n->leaf && side < SIDES; side++)
		divide(t, n, side);
	if (!n->leaf && !keep_children(t, n))
		return sm_error_nomem();
	n->opened = true;
	return NULL;
}

/* ---- making ---- */

static bool is_sum(const struct sm_table *table)
{
	return !table || (table->opts.group == SM_GROUP_STACK && table->opts.by < SM_M_ADDITIVE &&
				 !table->opts.limit);
}

/* For the two kinds about one function: which functions' numbers have its label. */
struct wanted {
	const char *label;
	uint8_t *known; /* by number: 0 = not asked yet, 1 = no, 2 = it is that */
	size_t n;
	uint32_t number; /* one that is that; NONE = not met */
};

/* -1 when memory is short. */
static int is_wanted(struct sm_tree *t, struct wanted *w, uint32_t number)
{
	const char *function, *module;
	size_t len;

	if (number >= w->n) {
		size_t had = w->n;

		if (!sm_grow(&w->known, &w->n, (size_t)number + 1, 1))
			return -1;
		memset(w->known + had, 0, w->n - had);
	}
	if (w->known[number])
		return w->known[number] == 2;
	function = function_of(&t->names, number);
	module = module_of(&t->names, number);
	len = strlen(function);
	w->known[number] = 1;
	if (strncmp(w->label, function, len) != 0)
		return false;
	if (module[0] == '[') {
		if (w->label[len])
			return false;
	} else if (strncmp(w->label + len, " [", 2) != 0 ||
		   strncmp(w->label + len + 2, module, strlen(module)) != 0 ||
		   strcmp(w->label + len + 2 + strlen(module), "]") != 0) {
		return false;
	}
	w->known[number] = 2;
	w->number = number;
	return true;
}

/* Where the function is in the stack, from outside or from inside; depth: nowhere. False when
 * memory is short. */
static bool find_function(struct sm_tree *t, struct wanted *w, unsigned side,
	const struct sm_table_row *row, bool outermost, uint32_t *at)
{
	for (uint32_t i = 0; i < row->depth; i++) {
		uint32_t number;
		int found;

		*at = outermost ? row->depth - 1 - i : i;
		number = frame_number(&t->numbers[side], row->ips[*at]);
		found = number == NO_NUMBER ? -1 : is_wanted(t, w, number);
		if (found)
			return found > 0;
	}
	*at = row->depth;
	return true;
}

/* A row without frames is a path of one level, its label, or, where that was asked for, of none. */
static bool make_label(struct sm_tree *t, struct wanted *w, const char *label, bool about,
	struct path *p, bool *taken)
{
	uint32_t number = sm_function_number(&t->names, label, "");
	size_t i = 0;

	while (i < t->nlabels && t->labels[i] != number)
		i++;
	if (number == NO_NUMBER || i == MAX_LABELS)
		return false;
	t->labels[i] = number;
	t->nlabels += i == t->nlabels;
	p->ips = &t->labels[i];
	p->n = !about;
	*taken = !about || strcmp(label, w->label) == 0;
	if (about && *taken)
		w->number = number;
	return true;
}

/* False when memory is short; `taken` says whether the row belongs to the tree. */
static bool make_path(struct sm_tree *t, struct wanted *w, unsigned side, enum sm_tree_kind kind,
	const struct sm_table_row *row, struct path *p, bool *taken)
{
	bool about = kind == SM_TREE_CALLERS || kind == SM_TREE_CALLEES;
	uint32_t at;

	if (!row->depth)
		return make_label(t, w, row->label ? row->label : "", about, p, taken);
	*taken = true;
	p->n = row->depth;
	p->ips = kind == SM_TREE_TOP_DOWN ? &row->ips[row->depth - 1] : row->ips;
	if (!about)
		return true;
	if (!find_function(t, w, side, row, kind == SM_TREE_CALLERS, &at))
		return false;
	*taken = at < row->depth;
	if (!*taken)
		return true;
	p->n = kind == SM_TREE_CALLERS ? row->depth - 1 - at : at;
	p->ips = !p->n ? row->ips : kind == SM_TREE_CALLERS ? &row->ips[at + 1] : &row->ips[at - 1];
	return true;
}

static bool add_table(struct sm_tree *t, struct wanted *w, unsigned side, enum sm_tree_kind kind,
	const struct sm_table *table)
{
	size_t n = 0;

	t->paths[side] = malloc((table->nrows + 1) * sizeof(*t->paths[side]));
	if (!t->paths[side])
		return false;
	sm_huge_hint(t->paths[side], (table->nrows + 1) * sizeof(*t->paths[side]));
	t->numbers[side].syms = table->syms;
	t->numbers[side].names = &t->names;
	for (size_t i = 0; i < table->nrows; i++) {
		const struct sm_table_row *row = &table->rows[i];
		struct path *p = &t->paths[side][n];
		bool taken;

		p->value = row->m[table->opts.by];
		if (!p->value)
			continue;
		if (!make_path(t, w, side, kind, row, p, &taken))
			return false;
		if (!taken)
			continue;
		add_path(&t->root, p, side);
		n++;
	}
	return true;
}

static bool name_root(struct sm_tree *t, const struct wanted *w)
{
	uint32_t number = w->number;

	if (number == NONE)
		number = sm_function_number(&t->names, w->label, "");
	if (number == NO_NUMBER)
		return false;
	t->root.function = function_of(&t->names, number);
	t->root.module = module_of(&t->names, number);
	return true;
}

struct sm_error *sm_tree_new(const struct sm_table *now, const struct sm_table *base, double scale,
	enum sm_tree_kind kind, const char *function, struct sm_tree **out)
{
	bool about = kind == SM_TREE_CALLERS || kind == SM_TREE_CALLEES;
	struct wanted w = {.label = about ? function : "", .number = NONE};
	struct sm_tree *t;
	bool ok;

	*out = NULL;
	if (!is_sum(now) || !is_sum(base) || !w.label || !(scale >= 0) || isinf(scale))
		return sm_error_new(SM_E_USAGE, NULL, "no tree can be made of that",
			"a tree needs all stacks, by a metric that can be added up");
	t = calloc(1, sizeof(*t));
	if (!t)
		return sm_error_nomem();
	t->scale = scale;
	t->tables[NOW] = now;
	t->tables[OLD] = base;
	t->step = kind == SM_TREE_TOP_DOWN || kind == SM_TREE_CALLEES ? -1 : 1;
	t->root.leaf = true;
	ok = add_table(t, &w, NOW, kind, now) && (!base || add_table(t, &w, OLD, kind, base)) &&
	     name_root(t, &w);
	free(w.known);
	if (!ok) {
		sm_tree_free(t);
		return sm_error_nomem();
	}
	t->root.nrows = t->root.count[NOW] + t->root.count[OLD];
	take_stretch(t, &t->root, t->root.self_old);
	*out = t;
	return NULL;
}

struct sm_tree_node *sm_tree_root(struct sm_tree *t)
{
	return &t->root;
}

void sm_tree_free(struct sm_tree *t)
{
	if (!t)
		return;
	for (unsigned side = 0; side < SIDES; side++) {
		sm_frame_numbers_release(&t->numbers[side]);
		free(t->paths[side]);
	}
	sm_function_names_release(&t->names);
	sm_arena_release(&t->arena);
	free(t->of_number);
	free(t->made);
	free(t->next);
	free(t);
}
