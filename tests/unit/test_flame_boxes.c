/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Boxes of made-up trees: none gets lost, none stands on another, each is as wide as its share. */
#include "capture.h"

#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tui/flame_boxes.h"

#define MOST 4096

struct forge {
	struct sm_tree_node nodes[MOST];
	size_t n;
	uint64_t seed;
	bool compared;
};

static int heaviest_first(const void *a, const void *b)
{
	uint64_t x = node_weight(a), y = node_weight(b);

	return x > y ? -1 : x < y;
}

/* Divides a node among children and itself. */
static void divide(struct forge *f, struct sm_tree_node *n, unsigned depth)
{
	size_t most = random_below(&f->seed, 12), count = 0;
	uint64_t now = n->now, old = n->old;

	n->leaf = true;
	n->children = &f->nodes[f->n];
	while (count < most && f->n < MOST && depth && now + old > 0) {
		struct sm_tree_node *c = &f->nodes[f->n];

		*c = (struct sm_tree_node){.parent = n, .function = "f", .module = "[kernel]"};
		/* Of all sizes. */
		c->now = random_below(&f->seed, now + 1) >> random_below(&f->seed, 8);
		c->old = f->compared ? random_below(&f->seed, old + 1) : 0;
		if (!c->now && !c->old)
			c->now = now > 0;
		if (!c->now && !c->old)
			break;
		now -= c->now;
		old -= c->old;
		count++;
		f->n++;
	}
	n->self_now = now;
	n->self_old = old;
	n->nchildren = count;
	if (!count)
		return;
	n->leaf = false;
	n->mark = random_below(&f->seed, 10) ? NODE_LOADED : 0;
	qsort(n->children, count, sizeof(*n->children), heaviest_first);
	for (size_t i = 0; i < count; i++) {
		n->children[i].depth = n->depth + 1;
		divide(f, &n->children[i], depth - 1);
	}
}

/* What is below a box: all children, in it, side by side, as wide as they should be. */
static void check_below(const struct boxes *b, const struct box *over, bool compared)
{
	const struct sm_tree_node *n = over->node;
	size_t shown = 0, boxes = 0, rest = 0;
	int x = over->x;

	for (size_t i = over->row + 1 < b->nrows ? b->rows[over->row + 1] : b->n;
		over->row + 1 < b->nrows && i < b->rows[over->row + 2]; i++) {
		const struct box *box = &b->items[i];

		if ((box->rest ? box->node : box->node->parent) != n)
			continue;
		boxes++;
		assert_true(box->w > 0);
		assert_int_equal(box->x, x);
		x += box->w;
		assert_int_equal(box->row, over->row + 1);
		if (box->rest) {
			rest++;
			shown += n->mark & NODE_LOADED ? n->nchildren - box->from : n->nchildren;
			assert_int_equal(box->from, n->mark & NODE_LOADED ? boxes - 1 : 0);
			continue;
		}
		assert_ptr_equal(box->node, &n->children[shown]);
		shown++;
		if (!compared) {
			double ideal = (double)box->node->now * over->w / (double)n->now;

			/* Rounded, and perhaps a column given to what is too narrow. */
			assert_true(box->w >= ideal - 2 && box->w <= ideal + 1);
		}
	}
	assert_int_equal(shown, n->nchildren);
	assert_true(x <= over->x + over->w);
	assert_true(rest <= 1);
}

static void test_nothing_is_lost(void **state)
{
	struct forge *f = malloc(sizeof(*f));
	struct boxes b = {0};

	(void)state;
	assert_non_null(f);
	for (uint64_t seed = 1; seed <= 400; seed++) {
		int width = 1 + (int)(seed * 7 % 200);

		*f = (struct forge){.n = 1, .seed = seed, .compared = seed & 1};
		f->nodes[0] = (struct sm_tree_node){.function = "", .module = "", .now = 100000};
		f->nodes[0].old = f->compared ? 70000 : 0;
		divide(f, &f->nodes[0], 6);
		f->nodes[0].mark = NODE_LOADED;
		assert_true(boxes_lay(&b, &f->nodes[0], width));
		assert_int_equal(b.items[0].w, width);
		assert_ptr_equal(b.items[0].node, &f->nodes[0]);
		assert_int_equal(b.rows[b.nrows], b.n);
		for (size_t i = 0; i < b.n; i++) {
			const struct box *box = &b.items[i];
			uint64_t now, old;
			size_t count;

			assert_true(i >= b.rows[box->row] && i < b.rows[box->row + 1]);
			assert_int_equal(boxes_at(&b, box->row, box->x), i);
			assert_int_equal(boxes_at(&b, box->row, box->x + box->w - 1), i);
			assert_int_equal(boxes_find(&b, box->node, box->rest), i);
			box_sums(box, &now, &old, &count);
			assert_true(now + old > 0);
			if (!box->rest)
				check_below(&b, box, f->compared);
		}
		assert_int_equal(boxes_at(&b, b.nrows, 0), SIZE_MAX);
		assert_int_equal(boxes_at(&b, 0, width), SIZE_MAX);
	}
	boxes_release(&b);
	free(f);
}

/* As many of the same weight as there are columns have one each; one more, and the last column is
 * that of the rest. */
static void test_one_column_each(void **state)
{
	struct sm_tree_node nodes[12] = {{.function = "", .module = "", .mark = NODE_LOADED}};
	struct boxes b = {0};
	uint64_t now, old;
	size_t count;

	(void)state;
	nodes[0].children = &nodes[1];
	for (size_t i = 1; i < 12; i++)
		nodes[i] = (struct sm_tree_node){.parent = nodes,
			.function = "f",
			.module = "",
			.depth = 1,
			.now = 3,
			.leaf = true};
	nodes[0].now = 30;
	nodes[0].nchildren = 10;
	assert_true(boxes_lay(&b, nodes, 10));
	assert_int_equal(b.nrows, 2);
	assert_int_equal(b.n, 11);
	nodes[0].now = 31;
	nodes[0].nchildren = 11;
	nodes[11].now = 1;
	assert_true(boxes_lay(&b, nodes, 11));
	assert_int_equal(b.n, 1 + 11);
	assert_true(b.items[11].rest);
	box_sums(&b.items[11], &now, &old, &count);
	assert_int_equal(now, 1);
	assert_int_equal(count, 1);
	assert_true(boxes_lay(&b, nodes, 3));
	assert_int_equal(b.n, 2);
	assert_true(b.items[1].rest);
	assert_int_equal(b.items[1].w, 3);
	assert_false(boxes_lay(&b, nodes, 0));
	boxes_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_is_lost),
		cmocka_unit_test(test_one_column_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
