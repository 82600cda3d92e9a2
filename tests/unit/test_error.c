/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include <smtool/base.h>

static void expect_text(struct sm_error *err, const char *text)
{
	struct sm_buf buf = {0};

	sm_error_format(err, &buf);
	assert_string_equal(buf.data, text);
	sm_buf_release(&buf);
	sm_error_free(err);
}

static void test_parts(void **state)
{
	(void)state;
	expect_text(sm_error_new(SM_E_OTHER, NULL, "no luck", NULL), "no luck");
	expect_text(sm_error_new(SM_E_OTHER, "a/b", "no luck", NULL), "no luck: 'a/b'");
	expect_text(
		sm_error_new(SM_E_OTHER, NULL, "no luck", "%d of %s", 3, "x"), "no luck: 3 of x");
	expect_text(sm_error_at(SM_E_FORMAT, "f", UINT64_MAX, "bad magic", "0x%x", 255),
		"bad magic: 'f' at byte 18446744073709551615: 0xff");
	expect_text(sm_error_at(SM_E_FORMAT, NULL, 0, "bad magic", NULL), "bad magic at byte 0");
}

static void test_fields(void **state)
{
	struct sm_error *err = sm_error_at(SM_E_FORMAT, "f", 12, "bad magic", "%s", "d");

	(void)state;
	assert_int_equal(err->code, SM_E_FORMAT);
	assert_int_equal(err->errnum, 0);
	assert_true(err->has_offset);
	assert_int_equal(err->offset, 12);
	assert_string_equal(err->path, "f");
	assert_string_equal(err->what, "bad magic");
	assert_string_equal(err->detail, "d");
	sm_error_free(err);
}

static void test_errno(void **state)
{
	struct sm_error *err = sm_error_errno(ENOENT, "f", "can't open", NULL);

	(void)state;
	assert_int_equal(err->code, SM_E_MISSING);
	assert_int_equal(err->errnum, ENOENT);
	expect_text(err, "can't open: 'f': No such file or directory");
	err = sm_error_errno(EACCES, "f", "can't open", "run as root");
	assert_int_equal(err->code, SM_E_IO);
	expect_text(err, "can't open: 'f': Permission denied; run as root");
}

static void test_hostile(void **state)
{
	(void)state;
	expect_text(sm_error_new(SM_E_OTHER, "a\x1b[2J\n", "no luck", "%s", "\x80\t"),
		"no luck: 'a\\x1b[2J\\x0a': \\x80\\x09");
}

static void test_nomem(void **state)
{
	(void)state;
	expect_text(sm_error_nomem(), "out of memory");
	sm_error_free(sm_error_nomem());
	sm_error_free(NULL);
}

static void test_copy(void **state)
{
	struct sm_error *err = sm_error_at(SM_E_FORMAT, "f", 12, "bad", "100%% of %d", 3);
	struct sm_error *copy = sm_error_copy(err);

	(void)state;
	sm_error_free(err);
	assert_int_equal(copy->code, SM_E_FORMAT);
	assert_true(copy->has_offset);
	assert_int_equal(copy->offset, 12);
	assert_string_equal(copy->path, "f");
	assert_string_equal(copy->what, "bad");
	assert_string_equal(copy->detail, "100% of 3");
	sm_error_free(copy);
	copy = sm_error_copy(sm_error_nomem());
	assert_int_equal(copy->code, SM_E_NOMEM);
	sm_error_free(copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_copy),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_errno),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_nomem),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
