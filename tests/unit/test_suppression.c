/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of suppressions. */
#include "capture.h"

#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/table/suppression.h"

#define TEXT(s) s, sizeof(s) - 1

/* "LINE|PATTERN|REASON" a line, "-" without a reason. */
static void reads(const char *text, size_t len, const char *want)
{
	struct sm_suppressions *s;
	struct sm_buf have = {0};

	expect_none(sm_suppressions_parse("known", text, len, &s));
	sm_buf_adds(&have, "");
	for (size_t i = 0; i < sm_suppressions_count(s); i++) {
		const struct sm_suppression *x = sm_suppressions_get(s, i);

		sm_buf_addf(&have, "%u|%s|%s\n", x->line, x->pattern, x->reason ? x->reason : "-");
	}
	assert_string_equal(have.data, want);
	sm_buf_release(&have);
	sm_suppressions_free(s);
}

static void test_lines(void **state)
{
	(void)state;
	reads(TEXT(""), "");
	reads(TEXT("\n\n  \n# a comment\n  # one more\n"), "");
	reads(TEXT("one"), "1|one|-\n");
	reads(TEXT("one\ntwo # why\n"), "1|one|-\n2|two|why\n");
	reads(TEXT("one\r\ntwo # why\r\n"), "1|one|-\n2|two|why\n");
	reads(TEXT("  ^ext4_ .*$\t#   fills   \n"), "1|^ext4_ .*$|fills\n");
	/* A # within a word is the pattern's, the first alone is not. */
	reads(TEXT("a#b#  # why # so\n"), "1|a#b#|why # so\n");
	reads(TEXT("a #b\n"), "1|a #b|-\n");
	reads(TEXT("a #\n"), "1|a|-\n");
	reads(TEXT("a #  \n"), "1|a|-\n");
	reads(TEXT("\\[xfs\\]$ # xfs\n"), "1|\\[xfs\\]$|xfs\n");
	reads(TEXT("\xff\xfe\x1b # \x9b\n"), "1|\xff\xfe\x1b|\x9b\n");
}

static void refuses(const char *text, size_t len, const char *want)
{
	struct sm_suppressions *s;

	scratch_expect(sm_suppressions_parse("known", text, len, &s), SM_E_USAGE, want);
	assert_null(s);
}

static void test_refused(void **state)
{
	(void)state;
	refuses(TEXT("fine\n(\n"), "known:2: '(':");
	refuses(TEXT("\n\n[a # why\n"), "known:3: '[a':");
	refuses(TEXT("a{2,1}\n"), "known:1: 'a{2,1}':");
	refuses(TEXT("a\n\0b\n"), "known:2: a NUL byte");
	/* Also in what would be a comment. */
	refuses(TEXT("# \0\n"), "known:1: a NUL byte");
}

static void test_match(void **state)
{
	struct sm_suppressions *s;
	bool used[4] = {false};

	(void)state;
	expect_none(
		sm_suppressions_parse("known", TEXT("^ext4_\nalloc\n\\[ext4\\]$\nnever\n"), &s));
	assert_int_equal(sm_suppressions_match(s, "ext4_alloc_inode [ext4]", used), 0);
	assert_true(used[0] && used[1] && used[2] && !used[3]);
	assert_int_equal(sm_suppressions_match(s, "kmem_alloc", used), 1);
	assert_true(sm_suppressions_match(s, "free", used) == SIZE_MAX);
	assert_true(sm_suppressions_match(NULL, "free", used) == SIZE_MAX);
	assert_false(used[3]);
	sm_suppressions_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_match),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
