/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows that several attributes tell apart: together they are the rows of each attribute alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "capture.h"

static uint64_t sum_of(const struct sm_profile *p, enum sm_attr attr, const char *value)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->nrows; i++) {
		const char *s = sm_profile_value(p, p->rows[i].attr, attr);

		assert_non_null(s);
		if (strcmp(s, value) == 0)
			sum += p->rows[i].m[SM_M_BYTES];
	}
	return sum;
}

static void tuples_add_up(void **state)
{
	static const enum sm_attr ATTRS[] = {SM_ATTR_COMM, SM_ATTR_PID, SM_ATTR_CPU, SM_ATTR_EVENT,
		SM_ATTR_CACHE, SM_ATTR_GFP, SM_ATTR_SIZE};
	struct sm_profile_opts opts = {.by_stack = true};
	struct sm_profile *all;
	struct scratch *s = *state;
	struct capture c;
	size_t compared = 0;

	capture_play_file(s, "c", "le64.txt");
	capture_open(&c, s, "c", NULL);
	for (size_t a = 0; a < SM_ARRAY_SIZE(ATTRS); a++)
		opts.attrs |= 1u << ATTRS[a];
	all = capture_profile(&c, &opts);
	assert_true(all->nrows > 2);
	assert_null(sm_profile_value(all, all->rows[0].attr, SM_ATTR_ORDER));
	for (size_t a = 0; a < SM_ARRAY_SIZE(ATTRS); a++) {
		struct sm_profile_opts one = {.attr = ATTRS[a]};
		struct sm_profile *p;

		p = capture_profile(&c, &one);
		assert_int_equal(p->totals[SM_M_BYTES], all->totals[SM_M_BYTES]);
		for (size_t i = 0; i < p->nrows; i++) {
			struct sm_buf label = {0};

			sm_profile_label(p, p->rows[i].attr, &label);
			assert_string_equal(
				label.data, sm_profile_value(p, p->rows[i].attr, ATTRS[a]));
			assert_int_equal(
				sum_of(all, ATTRS[a], label.data), p->rows[i].m[SM_M_BYTES]);
			sm_buf_release(&label);
			compared++;
		}
		sm_profile_free(p);
	}
	assert_true(compared > SM_ARRAY_SIZE(ATTRS));
	sm_profile_free(all);
	capture_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(tuples_add_up, scratch_setup, scratch_teardown)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
