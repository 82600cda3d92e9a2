/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trees of functions against a model that goes through all stacks for each node. */
#include "capture.h"

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <smtool/tree.h>

#define HEAD "kernel le 64 page 4096 format 7.2\ninclude symbols64.inc\nstep 1000\nat 1000000\n"
#define MAX_PATH_TEXT 4096

struct side {
	struct capture c;
	struct sm_symbols *syms;
	struct sm_profile *profile;
	struct sm_table *table;
};

static void side_make(struct side *s, void **state, const char *dir, const char *script)
{
	struct sm_table_opts opts = {.by = SM_M_BYTES_REQ, .unsorted = true, .no_skip = true};

	capture_play(*state, dir, script);
	capture_open(&s->c, *state, dir, NULL);
	expect_none(sm_symbols_open(s->c.src, &(struct sm_symbols_opts){0}, &s->syms));
	s->profile = capture_profile(&s->c, NULL);
	expect_none(sm_table_build(s->profile, s->syms, &opts, &s->table));
}

static void side_free(struct side *s)
{
	sm_table_free(s->table);
	sm_profile_free(s->profile);
	sm_symbols_free(s->syms);
	capture_close(&s->c);
}

/* Few functions, deep recursion, several addresses in each, unknown ones, and rows without frames.
 */
static char *random_script(uint64_t seed, unsigned events)
{
	static const char *const FUNCTIONS[] = {
		"entry", "do_work", "irq_work", "sys_call", "mod_open", "0x1234500"};
	struct sm_buf b = {0};

	sm_buf_adds(&b, HEAD);
	for (unsigned i = 0; i < events; i++) {
		uint64_t kind = random_below(&seed, 20);
		uint64_t depth = 1 + random_below(&seed, 6);

		sm_buf_addf(&b, "kmalloc ptr=%u req=%u\n", 4096 + i * 64,
			(unsigned)random_below(&seed, 1000));
		if (kind == 0)
			continue;
		if (kind == 1) {
			sm_buf_addf(&b, "stackid %u\n", (unsigned)random_below(&seed, 100));
			continue;
		}
		sm_buf_adds(&b, "stack");
		while (depth--)
			sm_buf_addf(&b, " %s+%u",
				FUNCTIONS[random_below(&seed, SM_ARRAY_SIZE(FUNCTIONS))],
				16 * (1 + (unsigned)random_below(&seed, 3)));
		sm_buf_addc(&b, '\n');
	}
	return b.data;
}

/* ---- the model ---- */

static void frame_name(const struct side *s, uint64_t ip, char *name, size_t size)
{
	struct sm_symbol sym;

	if (sm_symbols_find_caller(s->syms, ip, &sym))
		snprintf(name, size, sym.module ? "%s [%s]" : "%s", sym.name, sym.module);
	else
		snprintf(name, size, "0x%llx", (unsigned long long)ip);
}

/* "/F1/F2/" of a row's levels; false where the row isn't in such a tree. */
static bool path_of(const struct side *s, const struct sm_table_row *row, enum sm_tree_kind kind,
	const char *function, char text[MAX_PATH_TEXT])
{
	bool about = kind == SM_TREE_CALLERS || kind == SM_TREE_CALLEES;
	char names[64][64];
	int at = -1, depth = (int)row->depth;

	strcpy(text, "/");
	if (!depth) {
		if (about)
			return strcmp(row->label, function) == 0;
		sprintf(text, "/%s/", row->label);
		return true;
	}
	for (int i = 0; i < depth; i++)
		frame_name(s, row->ips[i], names[i], sizeof(names[i]));
	for (int i = 0; about && i < depth; i++) {
		if (strcmp(names[i], function) != 0)
			continue;
		if (at < 0 || kind == SM_TREE_CALLERS)
			at = i;
	}
	if (about && at < 0)
		return false;
	for (int i = 0; i < depth; i++) {
		int k = kind == SM_TREE_TOP_DOWN || kind == SM_TREE_CALLEES ? depth - 1 - i : i;

		if ((kind == SM_TREE_CALLERS && k <= at) || (kind == SM_TREE_CALLEES && k >= at))
			continue;
		sprintf(text + strlen(text), "%s/", names[k]);
	}
	return true;
}

struct sums {
	uint64_t all, self;
	size_t n;
};

static struct sums sum_of(
	const struct side *s, enum sm_tree_kind kind, const char *function, const char *prefix)
{
	struct sums sums = {0};
	char text[MAX_PATH_TEXT];

	for (size_t i = 0; s && i < s->table->nrows; i++) {
		const struct sm_table_row *row = &s->table->rows[i];
		uint64_t v = row->m[SM_M_BYTES_REQ];

		if (!path_of(s, row, kind, function, text) ||
			strncmp(text, prefix, strlen(prefix)) != 0)
			continue;
		sums.all += v;
		sums.n++;
		if (strcmp(text, prefix) == 0)
			sums.self += v;
	}
	return sums;
}

struct check {
	const struct side *now, *base;
	double scale;
	enum sm_tree_kind kind;
	const char *function;
	struct sm_tree *tree;
	size_t nodes;
};

static void near(const struct check *k, uint64_t have, uint64_t raw)
{
	double want = (double)raw * k->scale;

	if (k->scale == 1)
		assert_int_equal(have, raw);
	else
		assert_true(fabs((double)have - want) <= 1.000001);
}

static void check_node(struct check *k, struct sm_tree_node *n, const char *prefix)
{
	struct sums now = sum_of(k->now, k->kind, k->function, prefix);
	struct sums old = sum_of(k->base, k->kind, k->function, prefix);
	uint64_t children_now = 0, children_old = 0;
	size_t nrows = 0;

	k->nodes++;
	assert_int_equal(n->now, now.all);
	assert_int_equal(n->self_now, now.self);
	near(k, n->old, old.all);
	near(k, n->self_old, old.self);
	assert_int_equal(n->nrows, now.n + old.n);
	assert_int_equal(n->leaf, now.all == now.self && old.all == old.self);
	assert_false(n->opened);
	assert_int_equal(n->mark, 0);
	expect_none(sm_tree_open(k->tree, n));
	expect_none(sm_tree_open(k->tree, n));
	assert_true(n->opened);
	assert_int_equal(n->leaf, n->nchildren == 0);
	for (size_t i = 0; i < n->nchildren; i++) {
		struct sm_tree_node *child = &n->children[i];
		char path[MAX_PATH_TEXT];
		bool label = child->depth == 1 && !*child->module;

		assert_ptr_equal(child->parent, n);
		assert_int_equal(child->depth, n->depth + 1);
		children_now += child->now;
		children_old += child->old;
		nrows += child->nrows;
		if (i && k->scale == 1) {
			const struct sm_tree_node *last = child - 1;
			uint64_t a = last->now > last->old ? last->now : last->old;
			uint64_t b = child->now > child->old ? child->now : child->old;

			assert_true(a >= b);
			assert_true(a > b || strcmp(last->function, child->function) <= 0);
		}
		if (label || child->module[0] == '[')
			snprintf(path, sizeof(path), "%s%s/", prefix, child->function);
		else
			snprintf(path, sizeof(path), "%s%s [%s]/", prefix, child->function,
				child->module);
		assert_int_equal(child->ip == 0, label);
		check_node(k, child, path);
	}
	assert_int_equal(children_now + n->self_now, n->now);
	assert_int_equal(children_old + n->self_old, n->old);
	assert_true(nrows <= n->nrows);
}

static void check_tree(const struct side *now, const struct side *base, double scale,
	enum sm_tree_kind kind, const char *function, size_t least)
{
	struct check k = {now, base, scale, kind, function, NULL, 0};
	bool about = kind == SM_TREE_CALLERS || kind == SM_TREE_CALLEES;
	struct sm_tree_node *root;

	expect_none(
		sm_tree_new(now->table, base ? base->table : NULL, scale, kind, function, &k.tree));
	root = sm_tree_root(k.tree);
	assert_null(root->parent);
	assert_int_equal(root->depth, 0);
	if (about && strchr(function, ' ') && function[0] != '[')
		assert_string_equal(root->module, "testmod");
	else
		assert_string_equal(root->function, about ? function : "");
	check_node(&k, root, "/");
	assert_true(k.nodes >= least);
	sm_tree_free(k.tree);
}

static void test_model(void **state)
{
	static const char *const FUNCTIONS[] = {
		"do_work", "mod_open [testmod]", "0x1234510", "[no stack]", "entry"};

	for (uint64_t seed = 1; seed <= 3; seed++) {
		char *scripts[2] = {random_script(seed, 150), random_script(seed + 100, 150)};
		struct side now, base;

		side_make(&now, state, "now", scripts[0]);
		side_make(&base, state, "base", scripts[1]);
		for (int compared = 0; compared < 3; compared++) {
			const struct side *b = compared ? &base : NULL;
			double scale = compared == 2 ? 0.37 : 1;

			check_tree(&now, b, scale, SM_TREE_TOP_DOWN, NULL, 100);
			check_tree(&now, b, scale, SM_TREE_INVERTED, NULL, 100);
			for (size_t f = 0; f < SM_ARRAY_SIZE(FUNCTIONS); f++) {
				size_t least = FUNCTIONS[f][0] == '[' ? 1 : 10;

				check_tree(&now, b, scale, SM_TREE_CALLERS, FUNCTIONS[f], least);
				check_tree(&now, b, scale, SM_TREE_CALLEES, FUNCTIONS[f], least);
			}
		}
		check_tree(&now, &now, 1, SM_TREE_TOP_DOWN, NULL, 100);
		check_tree(&now, &base, 0, SM_TREE_TOP_DOWN, NULL, 100);
		check_tree(&now, &base, 1e9, SM_TREE_TOP_DOWN, NULL, 1);
		check_tree(&now, &base, 1, SM_TREE_CALLERS, "nowhere", 1);
		side_free(&now);
		side_free(&base);
		free(scripts[0]);
		free(scripts[1]);
	}
}

/* The same functions elsewhere are the same. */
static void test_other_slide(void **state)
{
	struct sm_tree_node *root, *n;
	struct side now, base;
	struct sm_tree *tree;

	side_make(&now, state, "now",
		HEAD "kmalloc ptr=4096 req=3\nstack do_work+32 entry+16\n"
		     "kmalloc ptr=8192 req=4\nstack do_work+48 entry+32\n");
	side_make(&base, state, "base",
		"kernel le 64 page 4096 format 7.2\nkallsyms 0xffffffff81200000 entry\n"
		"kallsyms 0xffffffff81202000 do_work\nkallsyms 0xffffffff81203000 end\n"
		"at 1000000\nkmalloc ptr=4096 req=10\n"
		"stack 0xffffffff81202020 0xffffffff81200010\n");
	expect_none(sm_tree_new(now.table, base.table, 1, SM_TREE_TOP_DOWN, NULL, &tree));
	root = sm_tree_root(tree);
	expect_none(sm_tree_open(tree, root));
	assert_int_equal(root->nchildren, 1);
	n = root->children;
	assert_string_equal(n->function, "entry");
	assert_string_equal(n->module, "[kernel]");
	expect_none(sm_tree_open(tree, n));
	assert_int_equal(n->nchildren, 1);
	n = n->children;
	assert_string_equal(n->function, "do_work");
	assert_int_equal(n->now, 7);
	assert_int_equal(n->old, 10);
	assert_int_equal(n->self_old, 10);
	assert_int_equal(n->nrows, 3);
	assert_true(n->leaf);
	sm_tree_free(tree);
	side_free(&now);
	side_free(&base);
}

/* ---- searching ---- */

static bool name_matches(void *ctx, const char *function, const char *module)
{
	(void)module;
	return strstr(function, ctx) != NULL;
}

/* The node behind n, or before it, in a tree that is open as a whole; NULL at its end. */
static struct sm_tree_node *neighbour(struct sm_tree_node *n, bool forward)
{
	size_t i;

	if (forward && n->nchildren)
		return n->children;
	for (; forward && n->parent; n = n->parent)
		if (n + 1 < n->parent->children + n->parent->nchildren)
			return n + 1;
	if (forward || !n->parent)
		return NULL;
	i = (size_t)(n - n->parent->children);
	if (!i)
		return n->parent;
	for (n--; n->nchildren;)
		n = &n->children[n->nchildren - 1];
	return n;
}

static void open_all(struct sm_tree *tree, struct sm_tree_node *n)
{
	for (; n; n = neighbour(n, true))
		expect_none(sm_tree_open(tree, n));
}

static bool same_node(const struct sm_tree_node *a, const struct sm_tree_node *b)
{
	for (; a->parent && b->parent; a = a->parent, b = b->parent)
		if (strcmp(a->function, b->function) != 0 || strcmp(a->module, b->module) != 0)
			return false;
	return !a->parent && !b->parent;
}

/* Every match in turn, in a tree that is opened by that alone. */
static void check_finds(const struct side *now, const struct side *base, enum sm_tree_kind kind,
	bool forward, const char *text, struct sm_tree_node *all)
{
	struct sm_tree_search search = {.matches = name_matches, .ctx = (void *)(uintptr_t)text};
	struct sm_tree_node *n = all, *found = NULL;
	struct sm_tree *tree;

	expect_none(sm_tree_new(now->table, base ? base->table : NULL, 1, kind, "do_work", &tree));
	while (!forward && n->nchildren)
		n = &n->children[n->nchildren - 1];
	for (bool first = true;; first = false) {
		if (!first || forward)
			n = neighbour(n, forward);
		while (n && n->parent && !strstr(n->function, text))
			n = neighbour(n, forward);
		expect_none(sm_tree_find(tree, &search, found, forward, &found));
		if (!n || !n->parent) {
			assert_null(found);
			break;
		}
		assert_non_null(found);
		assert_true(same_node(n, found));
		assert_int_equal(found->now, n->now);
		assert_int_equal(found->old, n->old);
	}
	sm_tree_search_release(&search);
	sm_tree_free(tree);
}

/* Its sum is that of the matching nodes that no other one is above. */
static void check_matched(struct sm_tree *tree, struct sm_tree_node *node, const char *text)
{
	struct sm_tree_search search = {.matches = name_matches, .ctx = (void *)(uintptr_t)text};
	uint64_t now = 0, old = 0, want_now = 0, want_old = 0;
	const struct sm_tree_node *end = NULL;

	for (struct sm_tree_node *n = node; n && (n == node || n->depth > node->depth);
		n = neighbour(n, true)) {
		if (end && n->depth > end->depth)
			continue;
		end = NULL;
		if (!n->parent || !strstr(n->function, text))
			continue;
		end = n;
		want_now += n->now;
		want_old += n->old;
	}
	expect_none(sm_tree_sum(tree, &search, node, &now, &old));
	assert_int_equal(now, want_now);
	assert_int_equal(old, want_old);
	sm_tree_search_release(&search);
}

static void test_searched(void **state)
{
	static const char *const TEXTS[] = {"work", "entry", "o", "0x12", "stack]", "nothing", ""};

	for (uint64_t seed = 11; seed <= 13; seed++) {
		char *scripts[2] = {random_script(seed, 60), random_script(seed + 100, 60)};
		struct side now, base;

		side_make(&now, state, "now", scripts[0]);
		side_make(&base, state, "base", scripts[1]);
		for (unsigned k = 0; k < 8; k++) {
			const struct side *b = k & 4 ? &base : NULL;
			enum sm_tree_kind kind = (enum sm_tree_kind)(k & 3);
			struct sm_tree_node *all;
			struct sm_tree *tree;

			expect_none(sm_tree_new(
				now.table, b ? b->table : NULL, 1, kind, "do_work", &tree));
			all = sm_tree_root(tree);
			open_all(tree, all);
			for (size_t i = 0; i < SM_ARRAY_SIZE(TEXTS); i++) {
				check_finds(&now, b, kind, true, TEXTS[i], all);
				check_finds(&now, b, kind, false, TEXTS[i], all);
				if (k & 2)
					continue;
				check_matched(tree, all, TEXTS[i]);
				check_matched(tree, &all->children[1], TEXTS[i]);
			}
			sm_tree_free(tree);
		}
		side_free(&now);
		side_free(&base);
		free(scripts[0]);
		free(scripts[1]);
	}
}

/* Whatever the kind, the node's frame in the row has its name. */
static void check_heaviest(const struct side *now, const struct side *base, enum sm_tree_kind kind)
{
	struct sm_tree_node *n;
	struct sm_tree *tree;

	expect_none(sm_tree_new(now->table, base->table, 1, kind, "do_work", &tree));
	open_all(tree, sm_tree_root(tree));
	for (n = sm_tree_root(tree); n; n = neighbour(n, true)) {
		const struct sm_table_row *row;
		char name[64];
		uint32_t frame;
		bool of_base;

		row = sm_tree_heaviest(tree, n, &of_base, &frame);
		assert_non_null(row);
		assert_true(row->m[SM_M_BYTES_REQ] <= (of_base ? n->old : n->now));
		assert_true(n->nrows > 1 || row->m[SM_M_BYTES_REQ] == n->now + n->old);
		if (!row->depth) {
			assert_true(!n->parent || strcmp(row->label, n->function) == 0);
			continue;
		}
		assert_true(frame < row->depth);
		frame_name(of_base ? base : now, row->ips[frame], name, sizeof(name));
		if (n->function[0])
			assert_int_equal(strncmp(name, n->function, strlen(n->function)), 0);
	}
	sm_tree_free(tree);
}

static void test_heaviest(void **state)
{
	char *scripts[2] = {random_script(21, 60), random_script(22, 60)};
	struct side now, base;

	side_make(&now, state, "now", scripts[0]);
	side_make(&base, state, "base", scripts[1]);
	check_heaviest(&now, &base, SM_TREE_TOP_DOWN);
	check_heaviest(&now, &base, SM_TREE_INVERTED);
	check_heaviest(&now, &base, SM_TREE_CALLERS);
	check_heaviest(&now, &base, SM_TREE_CALLEES);
	side_free(&now);
	side_free(&base);
	free(scripts[0]);
	free(scripts[1]);
}

static void test_way_alone(void **state)
{
	struct sm_tree_search search = {.matches = name_matches, .ctx = (void *)(uintptr_t) "irq"};
	struct sm_tree_node *root, *found;
	struct sm_tree *tree;
	struct side now;

	side_make(&now, state, "now",
		HEAD "kmalloc ptr=4096 req=9\nstack do_work+32 do_work+16 entry+16\n"
		     "kmalloc ptr=8192 req=4\nstack irq_work+48 sys_call+32\n");
	expect_none(sm_tree_new(now.table, NULL, 1, SM_TREE_TOP_DOWN, NULL, &tree));
	root = sm_tree_root(tree);
	expect_none(sm_tree_find(tree, &search, NULL, true, &found));
	assert_string_equal(found->function, "irq_work");
	assert_false(root->children[0].opened);
	assert_true(found->parent->opened);
	assert_false(found->opened);
	sm_tree_search_release(&search);
	sm_tree_free(tree);
	side_free(&now);
}

static void test_refused(void **state)
{
	struct sm_table_opts by = {.by = SM_M_BYTES, .group = SM_GROUP_FUNCTION};
	struct sm_table *functions;
	struct sm_tree *tree;
	struct side now;

	side_make(&now, state, "now", HEAD "kmalloc ptr=4096 req=3\nstack do_work+32\n");
	expect_none(sm_table_build(now.profile, now.syms, &by, &functions));
	scratch_expect(sm_tree_new(functions, NULL, 1, SM_TREE_TOP_DOWN, NULL, &tree), SM_E_USAGE,
		"no tree");
	scratch_expect(sm_tree_new(now.table, functions, 1, SM_TREE_TOP_DOWN, NULL, &tree),
		SM_E_USAGE, "no tree");
	scratch_expect(sm_tree_new(now.table, now.table, NAN, SM_TREE_TOP_DOWN, NULL, &tree),
		SM_E_USAGE, "no tree");
	scratch_expect(sm_tree_new(now.table, NULL, 1, SM_TREE_CALLERS, NULL, &tree), SM_E_USAGE,
		"no tree");
	assert_null(tree);
	sm_tree_free(NULL);
	sm_table_free(functions);
	side_free(&now);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)
		TEST(test_model),
		TEST(test_other_slide),
		TEST(test_searched),
		TEST(test_heaviest),
		TEST(test_way_alone),
		TEST(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
