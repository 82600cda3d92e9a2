/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <smtool/base.h>

static void write_all(struct sm_json *j)
{
	sm_json_object(j, NULL);
	sm_json_u64(j, "u", UINT64_MAX);
	sm_json_i64(j, "i", INT64_MIN);
	sm_json_hex(j, "h", 0xffffffff81000000);
	sm_json_array(j, "list");
	sm_json_str(j, NULL, "a\"\x1b");
	sm_json_strn(j, NULL, "abc", 2);
	sm_json_str(j, NULL, NULL);
	sm_json_object(j, NULL);
	sm_json_object_end(j);
	sm_json_array(j, NULL);
	sm_json_array_end(j);
	sm_json_object(j, NULL);
	sm_json_bool(j, "t", true);
	sm_json_object_end(j);
	sm_json_array_end(j);
	sm_json_bool(j, "f", false);
	sm_json_null(j, "n");
	sm_json_object_end(j);
}

static void expect(void (*fill)(struct sm_json *j), bool pretty, const char *want)
{
	struct sm_buf buf = {0};
	struct sm_json j;
	struct sm_out out;

	assert_null(sm_out_init_buf(&out, &buf));
	sm_json_init(&j, &out, pretty);
	fill(&j);
	assert_null(sm_out_finish(&out));
	assert_int_equal(j.depth, 0);
	assert_string_equal(buf.data, want);
	sm_buf_release(&buf);
}

static void test_compact(void **state)
{
	(void)state;
	expect(write_all, false,
		"{\"u\":18446744073709551615,\"i\":-9223372036854775808,"
		"\"h\":\"0xffffffff81000000\",\"list\":[\"a\\\"\\u001b\",\"ab\",null,{},[],"
		"{\"t\":true}],\"f\":false,\"n\":null}");
}

static void test_pretty(void **state)
{
	(void)state;
	expect(write_all, true,
		"{\n"
		"  \"u\": 18446744073709551615,\n"
		"  \"i\": -9223372036854775808,\n"
		"  \"h\": \"0xffffffff81000000\",\n"
		"  \"list\": [\n"
		"    \"a\\\"\\u001b\",\n"
		"    \"ab\",\n"
		"    null,\n"
		"    {},\n"
		"    [],\n"
		"    {\n"
		"      \"t\": true\n"
		"    }\n"
		"  ],\n"
		"  \"f\": false,\n"
		"  \"n\": null\n"
		"}");
}

static void write_lines(struct sm_json *j)
{
	for (uint64_t i = 0; i < 2; i++) {
		sm_json_object(j, NULL);
		sm_json_u64(j, "id", i);
		sm_json_object_end(j);
		sm_out_char(j->out, '\n');
	}
}

static void test_lines(void **state)
{
	(void)state;
	expect(write_lines, false, "{\"id\":0}\n{\"id\":1}\n");
}

static void write_doubles(struct sm_json *j)
{
	sm_json_array(j, NULL);
	sm_json_double(j, NULL, 0.1);
	sm_json_double(j, NULL, 12.5);
	sm_json_double(j, NULL, 1.0 / 3);
	sm_json_double(j, NULL, -3);
	sm_json_double(j, NULL, 1e300);
	sm_json_double(j, NULL, (double)NAN);
	sm_json_double(j, NULL, -(double)INFINITY);
	sm_json_array_end(j);
}

static void test_doubles(void **state)
{
	(void)state;
	expect(write_doubles, false, "[0.1,12.5,0.3333333333333333,-3,1e+300,null,null]");
}

static void write_deep(struct sm_json *j)
{
	for (int i = 0; i < 31; i++)
		sm_json_array(j, NULL);
	for (int i = 0; i < 31; i++)
		sm_json_array_end(j);
}

static void test_deep(void **state)
{
	(void)state;
	expect(write_deep, false,
		"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
		"]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_compact),
		cmocka_unit_test(test_pretty),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_doubles),
		cmocka_unit_test(test_deep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
