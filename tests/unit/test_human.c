/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <smtool/view.h>

static void expect(void (*add)(uint64_t, struct sm_buf *), uint64_t v, const char *want)
{
	struct sm_buf buf = {0};

	add(v, &buf);
	assert_string_equal(buf.data, want);
	sm_buf_release(&buf);
}

static void test_bytes(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} cases[] = {
		{0, "0 B"},
		{12, "12 B"},
		{1023, "1023 B"},
		{1024, "1.0 KiB"},
		{1536, "1.5 KiB"},
		{1024 * 1024 - 52, "1023.9 KiB"},
		/* would be 1024.0 KiB */
		{1024 * 1024 - 1, "1.0 MiB"},
		{UINT64_C(1) << 30, "1.0 GiB"},
		{UINT64_C(3) << 39, "1.5 TiB"},
		{UINT64_C(1) << 50, "1.0 PiB"},
		{UINT64_MAX, "16.0 EiB"},
	};

	(void)state;
	for (size_t i = 0; i < SM_ARRAY_SIZE(cases); i++)
		expect(sm_human_bytes, cases[i].bytes, cases[i].text);
}

static void test_count(void **state)
{
	(void)state;
	expect(sm_human_count, 0, "0");
	expect(sm_human_count, 999, "999");
	expect(sm_human_count, 1000, "1,000");
	expect(sm_human_count, 1234567, "1,234,567");
	expect(sm_human_count, UINT64_MAX, "18,446,744,073,709,551,615");
}

static void test_ns(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{0, "0 ns"},
		{999, "999 ns"},
		{1000, "1.0 us"},
		{1949, "1.9 us"},
		{12000, "12 us"},
		{999499, "999 us"},
		/* would be 1000 us */
		{999500, "1.0 ms"},
		{12000000, "12 ms"},
		{999499999, "999 ms"},
		{999500000, "1.000 s"},
		{1234000000, "1.234 s"},
		{UINT64_C(90061234500000), "90061.235 s"},
		{UINT64_MAX, "18446744073.710 s"},
	};

	(void)state;
	for (size_t i = 0; i < SM_ARRAY_SIZE(cases); i++)
		expect(sm_human_ns, cases[i].ns, cases[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_count),
		cmocka_unit_test(test_ns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
