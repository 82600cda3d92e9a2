/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <smtool/symbol.h>

/* A note's header: lengths of name and description, type. */
#define HEAD(name, desc, type) name "\0\0\0" desc "\0\0\0" type "\0\0\0"
#define ID HEAD("\4", "\4", "\3") "GNU\0\xde\xad\xbe\xef"

/* From a copy without a byte behind its end, so that a sanitizer sees what is read there. */
static bool parse(const char *notes, size_t len, bool swap, struct sm_buf *hex)
{
	char *copy = malloc(len ? len : 1);
	bool found;

	assert_non_null(copy);
	memcpy(copy, notes, len);
	sm_buf_reset(hex);
	found = sm_build_id_parse(copy, len, swap, hex);
	free(copy);
	return found;
}

#define PARSE(notes, swap) parse(notes, sizeof(notes) - 1, swap, &hex)

static void test_found(void **state)
{
	struct sm_buf hex = {0};

	(void)state;
	assert_true(PARSE(ID, sm_host_big_endian()));
	assert_string_equal(hex.data, "deadbeef");
	/* Behind others, whose lengths aren't multiples of 4. */
	assert_true(PARSE(HEAD("\6", "\1", "\0") "Linux\0\0\0"
						 "\0\0\0\0" ID,
		sm_host_big_endian()));
	assert_string_equal(hex.data, "deadbeef");
	assert_true(PARSE(HEAD("\0", "\0", "\3") ID "rest", sm_host_big_endian()));
	/* An id of odd length that the padding doesn't follow. */
	assert_true(PARSE(HEAD("\4", "\5", "\3") "GNU\0\1\2\3\4\5", sm_host_big_endian()));
	assert_string_equal(hex.data, "0102030405");
	sm_buf_release(&hex);
}

static void test_other_order(void **state)
{
	static const char notes[] = "\0\0\0\4\0\0\0\2\0\0\0\3GNU\0\x0a\xbc\0\0";
	struct sm_buf hex = {0};

	(void)state;
	assert_true(PARSE(notes, !sm_host_big_endian()));
	assert_string_equal(hex.data, "0abc");
	assert_false(PARSE(notes, sm_host_big_endian()));
	sm_buf_release(&hex);
}

static void test_none(void **state)
{
	struct sm_buf hex = {0};

	(void)state;
	assert_false(PARSE("", sm_host_big_endian()));
	assert_false(PARSE(HEAD("\4", "\4", "\1") "GNU\0\1\2\3\4", sm_host_big_endian()));
	assert_false(PARSE(HEAD("\4", "\4", "\3") "Xen\0\1\2\3\4", sm_host_big_endian()));
	assert_false(PARSE(HEAD("\4", "\0", "\3") "GNU\0", sm_host_big_endian()));
	/* Longer than any id. */
	assert_false(PARSE(HEAD("\4", "\x44", "\3") "GNU\0"
						    "0123456789abcdef0123456789abcdef0123456789abcd"
						    "ef0123456789abcdef0123",
		sm_host_big_endian()));
	assert_int_equal(hex.len, 0);
	sm_buf_release(&hex);
}

static void test_cut(void **state)
{
	static const char lies[] = "\xff\xff\xff\xff\xff\xff\xff\xff\3\0\0\0GNU\0\1\2\3\4";
	static const char wraps[] = "\4\0\0\0\xfd\xff\xff\xff\1\0\0\0GNU\0\1\2\3\4";
	struct sm_buf hex = {0};

	(void)state;
	for (size_t len = 0; len < sizeof(ID) - 1; len++)
		assert_false(parse(ID, len, sm_host_big_endian(), &hex));
	assert_false(PARSE(lies, false));
	assert_false(PARSE(lies, true));
	assert_false(PARSE(wraps, false));
	assert_false(PARSE(wraps, true));
	sm_buf_release(&hex);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found),
		cmocka_unit_test(test_other_order),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
