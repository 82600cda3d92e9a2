/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <smtool/base.h>

static void collect(void *ctx, enum sm_level level, const char *line)
{
	sm_buf_addf(ctx, "%d:%s|", (int)level, line);
}

static void test_levels(void **state)
{
	struct sm_buf buf = {0};
	struct sm_log log = {.write = collect, .ctx = &buf, .level = SM_WARN};

	(void)state;
	sm_log(&log, SM_ERROR, "e%d", 1);
	sm_log(&log, SM_WARN, "w %s", "\x1b]0;x\x07");
	sm_log(&log, SM_INFO, "i");
	log.level = SM_DEBUG;
	sm_log(&log, SM_DEBUG, "%s", "");
	sm_log(NULL, SM_ERROR, "x");
	log.write = NULL;
	sm_log(&log, SM_ERROR, "x");
	assert_string_equal(buf.data, "0:e1|1:w \\x1b]0;x\\x07|3:|");
	sm_buf_release(&buf);
}

static void test_error(void **state)
{
	struct sm_buf buf = {0};
	struct sm_log log = {.write = collect, .ctx = &buf, .level = SM_WARN};

	(void)state;
	sm_log_error(&log, SM_WARN, NULL, ": nothing");
	sm_log_error(&log, SM_WARN, sm_error_at(SM_E_FORMAT, "a", 3, "bad", NULL), ": left out");
	sm_log_error(&log, SM_DEBUG, sm_error_new(SM_E_FORMAT, NULL, "bad", NULL), ": left out");
	sm_log_error(NULL, SM_WARN, sm_error_new(SM_E_FORMAT, NULL, "bad", NULL), "");
	assert_string_equal(buf.data, "1:bad: 'a' at byte 3: left out|");
	sm_buf_release(&buf);
}

static void test_clock(void **state)
{
	uint64_t a = sm_now_ns();

	(void)state;
	assert_true(sm_now_ns() >= a);
	assert_true(sm_cpu_count() >= 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_levels),
		cmocka_unit_test(test_error),
		cmocka_unit_test(test_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
