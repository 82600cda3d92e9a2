/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include <smtool/base.h>

static void test_empty(void **state)
{
	struct sm_strings s = {0};

	(void)state;
	assert_int_equal(sm_strings_find(&s, "a", 1), SM_NO_STRING);
	assert_null(sm_strings_get(&s, 0));
	assert_null(sm_strings_get(&s, SM_NO_STRING));
	sm_strings_release(&s);
}

static void test_growth(void **state)
{
	enum { N = 20000 };
	struct sm_strings s = {0};
	char text[32];

	(void)state;
	for (int round = 0; round < 2; round++) {
		for (unsigned i = 0; i < N; i++) {
			int n = snprintf(text, sizeof(text), "kmem_cache_%u", i);

			assert_int_equal(sm_strings_add(&s, text, (size_t)n), i);
		}
	}
	assert_int_equal(s.n, N);
	for (unsigned i = 0; i < N; i++) {
		int n = snprintf(text, sizeof(text), "kmem_cache_%u", i);

		assert_int_equal(sm_strings_find(&s, text, (size_t)n), i);
		assert_string_equal(sm_strings_get(&s, i), text);
	}
	assert_int_equal(sm_strings_find(&s, "kmem_cache_x", 12), SM_NO_STRING);
	sm_strings_release(&s);
	assert_int_equal(s.n, 0);
}

static void test_bytes(void **state)
{
	struct sm_strings s = {0};

	(void)state;
	/* The length decides, not a NUL; nor does what follows. */
	assert_int_equal(sm_strings_add(&s, "", 0), 0);
	assert_int_equal(sm_strings_add(&s, "a\0b", 3), 1);
	assert_int_equal(sm_strings_add(&s, "a\0c", 3), 2);
	assert_int_equal(sm_strings_add(&s, "abc", 1), 3);
	assert_int_equal(sm_strings_add(&s, "axx", 1), 3);
	assert_int_equal(sm_strings_find(&s, "", 0), 0);
	assert_string_equal(sm_strings_get(&s, 3), "a");
	assert_int_equal(s.items[1].len, 3);
	sm_strings_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_growth),
		cmocka_unit_test(test_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
