/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include <smtool/base.h>

static void test_alloc(void **state)
{
	static const size_t sizes[] = {0, 1, 7, 8, 9, 100, 900, 5000, 70000, 3 << 20};
	struct sm_arena a = {0};
	struct {
		uint8_t *p;
		size_t size;
	} blocks[3000];

	(void)state;
	/* Each is filled, so that an overlap shows. */
	for (size_t i = 0; i < SM_ARRAY_SIZE(blocks); i++) {
		blocks[i].size = sizes[i % (i % 100 ? 7 : SM_ARRAY_SIZE(sizes))];
		blocks[i].p = sm_arena_alloc(&a, blocks[i].size);
		assert_non_null(blocks[i].p);
		assert_int_equal((uintptr_t)blocks[i].p % 8, 0);
		memset(blocks[i].p, (int)(i % 251), blocks[i].size);
	}
	for (size_t i = 0; i < SM_ARRAY_SIZE(blocks); i++) {
		for (size_t k = 0; k < blocks[i].size; k++)
			assert_int_equal(blocks[i].p[k], i % 251);
	}
	sm_arena_release(&a);
	assert_null(a.chunks);
	assert_int_equal(a.total, 0);
}

static void test_large_first(void **state)
{
	struct sm_arena a = {0};
	char *large = sm_arena_alloc(&a, 100000), *small = sm_arena_alloc(&a, 8);

	(void)state;
	memset(large, 1, 100000);
	memset(small, 2, 8);
	assert_int_equal(large[99999], 1);
	sm_arena_release(&a);
}

static void test_overflow(void **state)
{
	struct sm_arena a = {0};

	(void)state;
	assert_null(sm_arena_alloc(&a, SIZE_MAX));
	assert_null(sm_arena_alloc(&a, SIZE_MAX - 8));
	assert_null(sm_arena_strndup(&a, "", SIZE_MAX));
	sm_arena_release(&a);
}

static void test_strndup(void **state)
{
	struct sm_arena a = {0};

	(void)state;
	assert_string_equal(sm_arena_strndup(&a, "abcdef", 3), "abc");
	assert_string_equal(sm_arena_strndup(&a, NULL, 0), "");
	sm_arena_release(&a);
}

static void test_grow(void **state)
{
	uint32_t *array = NULL;
	size_t cap = 0;

	(void)state;
	assert_true(sm_grow(&array, &cap, 1, sizeof(*array)));
	assert_true(cap >= 1);
	assert_true(sm_grow(&array, &cap, 1000, sizeof(*array)));
	assert_true(cap >= 1000);
	array[999] = 1;
	assert_false(sm_grow(&array, &cap, SIZE_MAX / 2, sizeof(*array)));
	assert_false(sm_grow(&array, &cap, SIZE_MAX, 1));
	assert_int_equal(array[999], 1);
	free(array);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alloc),
		cmocka_unit_test(test_large_first),
		cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_strndup),
		cmocka_unit_test(test_grow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
