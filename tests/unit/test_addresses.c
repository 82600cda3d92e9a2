/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <smtool/record.h>
#include <smtool/symbol.h>

static void test_order(void **state)
{
	const uint64_t first[] = {7, 3, 7, SM_TRAMPOLINE, 0}, more[] = {3, UINT64_MAX, 0, 9};
	struct sm_addresses a = {0};

	(void)state;
	assert_true(sm_addresses_add(&a, NULL, 0));
	assert_int_equal(a.n, 0);
	assert_true(sm_addresses_add(&a, first, SM_ARRAY_SIZE(first)));
	assert_true(sm_addresses_add(&a, more, SM_ARRAY_SIZE(more)));
	assert_int_equal(a.n, 5);
	assert_true(a.items[0] == 7 && a.items[1] == 3 && a.items[2] == 0);
	assert_true(a.items[3] == UINT64_MAX && a.items[4] == 9);
	sm_addresses_release(&a);
	assert_int_equal(a.n, 0);
	assert_true(sm_addresses_add(&a, more, 1));
	assert_int_equal(a.n, 1);
	sm_addresses_release(&a);
}

static void test_many(void **state)
{
	struct sm_addresses a = {0};

	(void)state;
	for (unsigned round = 0; round < 3; round++)
		for (uint64_t i = 0; i < 100000; i++) {
			uint64_t ip = UINT64_C(0xffffffff81000000) + i * 4096;

			assert_true(sm_addresses_add(&a, &ip, 1));
		}
	assert_int_equal(a.n, 100000);
	for (uint64_t i = 0; i < a.n; i++)
		assert_true(a.items[i] == UINT64_C(0xffffffff81000000) + i * 4096);
	sm_addresses_release(&a);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
