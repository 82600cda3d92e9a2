/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Moments and windows as people write them. */
#include "scratch.h"

#include <math.h>
#include <setjmp.h>

#include <cmocka.h>

#include <smtool/profile.h>

static void moment_is(const char *text, int kind, uint64_t ns, double percent)
{
	struct sm_moment m;
	struct sm_error *err = sm_moment_parse("--at", text, true, &m);

	if (err)
		fail_msg("'%s' is refused", text);
	if ((int)m.kind != kind || m.ns != ns || fabs(m.percent - percent) > 1e-9)
		fail_msg("'%s' is kind %d, %llu ns, %g %%", text, (int)m.kind,
			(unsigned long long)m.ns, m.percent);
}

static void test_moments(void **state)
{
	static const char *const bad[] = {"", "+", ".", "+.", "%", "x", "1x", "1.2.3", "-1", "+-1",
		"1e9", " 1", "1 ", "101%", "-1%", "nan%", "10%%", " 1%", "+1%", "0x1%", "1e1%",
		".%", "1s s", "peak ", "Peak", "++1", "18446744074", "99999999999999999999999",
		"1,5", "0x10"};
	struct sm_moment m;

	(void)state;
	moment_is("12.345", SM_MOMENT_NS, UINT64_C(12345000000), 0);
	moment_is("12", SM_MOMENT_NS, UINT64_C(12000000000), 0);
	moment_is("12s", SM_MOMENT_NS, UINT64_C(12000000000), 0);
	moment_is(".5", SM_MOMENT_NS, 500000000, 0);
	moment_is("5.", SM_MOMENT_NS, UINT64_C(5000000000), 0);
	moment_is("0", SM_MOMENT_NS, 0, 0);
	/* Exact to the ns, where a double isn't; what is below is cut. */
	moment_is("12345678.123456789", SM_MOMENT_NS, UINT64_C(12345678123456789), 0);
	moment_is("1.0000000019", SM_MOMENT_NS, UINT64_C(1000000001), 0);
	moment_is("18446744069", SM_MOMENT_NS, UINT64_C(18446744069000000000), 0);
	moment_is("+1.5", SM_MOMENT_FROM_START, 1500000000, 0);
	moment_is("+0", SM_MOMENT_FROM_START, 0, 0);
	moment_is("0%", SM_MOMENT_PERCENT, 0, 0);
	moment_is("12.5%", SM_MOMENT_PERCENT, 0, 12.5);
	moment_is("100%", SM_MOMENT_PERCENT, 0, 100);
	moment_is("peak", SM_MOMENT_PEAK, 0, 0);
	for (size_t i = 0; i < SM_ARRAY_SIZE(bad); i++) {
		struct sm_error *err = sm_moment_parse("--at", bad[i], true, &m);

		if (!err)
			fail_msg("'%s' is accepted", bad[i]);
		scratch_expect(err, SM_E_USAGE, "--at");
	}
	scratch_expect(sm_moment_parse("--time", "peak", false, &m), SM_E_USAGE, "'peak'");
}

static void test_windows(void **state)
{
	static const char *const bad[] = {"", "1", "10%", "2,1", "20%-10%", "+2,+1", "a,b", "1,b",
		"1-2", "10-20%", "1,2,3", "peak,1", "1,peak",
		"11111111111111111111111111111111111111111111111111111111111111111111111,2"};
	struct sm_moment from, to;

	(void)state;
	assert_null(sm_window_parse("--time", "1,2.5", &from, &to));
	assert_int_equal(from.kind, SM_MOMENT_NS);
	assert_int_equal(from.ns, 1000000000);
	assert_int_equal(to.ns, 2500000000);
	assert_null(sm_window_parse("--time", "10%-20%", &from, &to));
	assert_int_equal(from.kind, SM_MOMENT_PERCENT);
	assert_true(from.percent > 9.99 && from.percent < 10.01);
	assert_true(to.percent > 19.99 && to.percent < 20.01);
	assert_null(sm_window_parse("--time", "10%,20%", &from, &to));
	assert_int_equal(to.kind, SM_MOMENT_PERCENT);
	assert_null(sm_window_parse("--time", ",3", &from, &to));
	assert_int_equal(from.kind, SM_MOMENT_NONE);
	assert_int_equal(to.ns, 3000000000);
	assert_null(sm_window_parse("--time", "+1,", &from, &to));
	assert_int_equal(from.kind, SM_MOMENT_FROM_START);
	assert_int_equal(to.kind, SM_MOMENT_NONE);
	assert_null(sm_window_parse("--time", "10%-", &from, &to));
	assert_int_equal(from.kind, SM_MOMENT_PERCENT);
	assert_int_equal(to.kind, SM_MOMENT_NONE);
	assert_null(sm_window_parse("--time", "1,1", &from, &to));
	/* Only ends of one kind can be compared here. */
	assert_null(sm_window_parse("--time", "5,+1", &from, &to));
	for (size_t i = 0; i < SM_ARRAY_SIZE(bad); i++) {
		struct sm_error *err = sm_window_parse("--time", bad[i], &from, &to);

		if (!err)
			fail_msg("'%s' is accepted", bad[i]);
		scratch_expect(err, SM_E_USAGE, "--time");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_moments),
		cmocka_unit_test(test_windows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
