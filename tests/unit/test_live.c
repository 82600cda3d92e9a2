/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The live set against a table that is searched from end to end. */
#include "capture.h"

#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/profile/internal.h"

#define SLOTS 3000 /* of the naive table */

struct naive {
	uint64_t ptr, bytes;
	bool live;
};

static void check_all(const struct live_set *set, const struct naive *naive, size_t n)
{
	size_t live = 0, found = 0;

	for (size_t i = 0; i < n; i++) {
		struct live_object *o = sm_live_find(set, naive[i].ptr);

		assert_int_equal(o != NULL, naive[i].live);
		live += naive[i].live;
		if (o)
			assert_int_equal(o->bytes, naive[i].bytes);
	}
	assert_int_equal(set->n, live);
	for (size_t i = 0; i < set->nslots; i++)
		found += set->slots[i].ptr != LIVE_FREE;
	assert_int_equal(found, live);
}

/* Addresses as allocators give them, and some that share their home slot. */
static uint64_t address(size_t i, uint64_t step)
{
	return UINT64_C(0xffff888000000000) + i * step;
}

static void against_naive(uint64_t step, uint64_t seed)
{
	struct naive *naive = calloc(SLOTS, sizeof(*naive));
	struct live_set set = {0};
	uint64_t random = seed;

	assert_null(sm_live_find(&set, 1));
	for (size_t i = 0; i < SLOTS; i++)
		naive[i].ptr = address(i, step);
	for (unsigned round = 0; round < 60000; round++) {
		/* The table fills, drains, and fills again. */
		size_t i = (size_t)random_below(&random, SLOTS);
		bool want = random_below(&random, 100) < (round / 10000 % 2 ? 20 : 80);
		struct naive *slot = &naive[i];
		struct live_object *o = sm_live_find(&set, slot->ptr);

		assert_int_equal(o != NULL, slot->live);
		if (o)
			assert_int_equal(o->bytes, slot->bytes);
		if (want && !slot->live) {
			assert_true(sm_live_reserve(&set));
			o = sm_live_insert(&set, slot->ptr);
			assert_int_equal(o->ptr, slot->ptr);
			o->bytes = slot->bytes = next_random(&random);
			slot->live = true;
		} else if (!want && slot->live) {
			sm_live_remove(&set, o);
			slot->live = false;
		}
		if (round % 5000 == 0)
			check_all(&set, naive, SLOTS);
	}
	check_all(&set, naive, SLOTS);
	for (size_t i = 0; i < SLOTS; i++)
		if (naive[i].live)
			sm_live_remove(&set, sm_live_find(&set, naive[i].ptr));
	assert_int_equal(set.n, 0);
	for (size_t i = 0; i < set.nslots; i++)
		assert_int_equal(set.slots[i].ptr, LIVE_FREE);
	sm_live_release(&set);
	sm_live_release(&set);
	free(naive);
}

static void test_naive(void **state)
{
	(void)state;
	against_naive(8, 1);
	against_naive(64, 2);
	against_naive(4096, 3);
	against_naive(UINT64_C(1) << 40, 4);
	against_naive(0x9e3779b1, 5);
}

static void test_growth(void **state)
{
	struct live_set set = {0};
	const uint64_t n = 200000;

	(void)state;
	for (uint64_t i = 0; i < n; i++) {
		assert_true(sm_live_reserve(&set));
		sm_live_insert(&set, address(i, 16))->bytes = i;
	}
	assert_int_equal(set.n, n);
	for (uint64_t i = 0; i < n; i++)
		assert_int_equal(sm_live_find(&set, address(i, 16))->bytes, i);
	assert_null(sm_live_find(&set, address(n, 16)));
	sm_live_release(&set);
}

/* As many allocations and frees as there are: the table doesn't grow with them. */
static void test_churn(void **state)
{
	struct live_set set = {0};

	(void)state;
	for (uint64_t i = 0; i < 500000; i++) {
		assert_true(sm_live_reserve(&set));
		sm_live_insert(&set, address(i, 64));
		if (i >= 100)
			sm_live_remove(&set, sm_live_find(&set, address(i - 100, 64)));
	}
	assert_int_equal(set.n, 100);
	assert_int_equal(set.nslots, 4096);
	sm_live_release(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_naive),
		cmocka_unit_test(test_growth),
		cmocka_unit_test(test_churn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
