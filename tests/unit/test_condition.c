/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --fail-if: what is understood, what it means. */
#include "scratch.h"

#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

#include <smtool/diff.h>

static void refuses(const char *text, bool series, const char *why)
{
	struct sm_condition c;

	scratch_expect(sm_condition_parse(text, series, &c), SM_E_USAGE, why);
}

static void test_refused(void **state)
{
	(void)state;
	refuses("", false, "no such word");
	refuses("grown", false, "there is no >");
	refuses("grown>", false, "there is no number");
	refuses("grown>x", false, "there is no number");
	refuses("grown>.", false, "there is no number");
	refuses("grown>1X", false, "is no unit");
	refuses("grown>1M2", false, "is no unit");
	refuses("grown>1%%", false, "is no unit");
	refuses("grown=1", false, "there is no >");
	refuses("grown>-1", false, "only delta can be negative");
	refuses("grow>1", false, "no such word for two inputs");
	refuses("grownx>1", false, "no such word");
	refuses("growing>1", false, "no such word for two inputs");
	refuses("Grown>1", false, "no such word");
	refuses(">1", false, "no such word");
	refuses("max->1", false, "no such word");
	refuses("-rows>1", false, "no such word");
	refuses("max-delta>1", false, "no such word");
	refuses("total-rows>1", false, "no such word");
	refuses("rows-rows>1", false, "no such word");
	refuses("max-grown-rows>1", false, "no such word");
	refuses("grown-rows>5%", false, "no share of the old total");
	refuses("rows>5%", false, "no share of the old total");
	refuses("flat>1", true, "no such word for a series");
	refuses("too few>1", true, "no such word for a series");
}

struct made {
	struct sm_diff d;
	struct sm_diff_input inputs[2];
	struct sm_diff_row suppressed;
	uint64_t values[2];
};

static void make(struct made *m)
{
	memset(m, 0, sizeof(*m));
	m->inputs[0].total = 1000;
	m->inputs[1].total = 4000000;
	m->d.inputs = m->inputs;
	m->d.ninputs = 2;
	m->d.by = SM_M_BYTES;
	m->d.is_bytes = true;
	m->d.of_status[SM_DIFF_GROWN] = (struct sm_diff_sum){3, 3 << 20, 0, 2 << 20};
	m->d.of_status[SM_DIFF_NEW] = (struct sm_diff_sum){1, 512, 0, 512};
	m->d.of_status[SM_DIFF_SHRUNK] = (struct sm_diff_sum){2, 0, 300, 200};
	/* Accepted: from 100 to 500. */
	m->values[0] = 100;
	m->values[1] = 500;
	m->suppressed.values = m->values;
	m->d.suppressed = &m->suppressed;
	m->d.nsuppressed = 1;
	m->d.accepted = (struct sm_diff_sum){1, 400, 0, 400};
}

static void says(struct made *m, const char *text, bool want, const char *why)
{
	struct sm_buf have = {0};
	struct sm_condition c;
	struct sm_error *err = sm_condition_parse(text, m->d.ninputs > 2, &c);

	if (err)
		fail_msg("'%s' isn't understood", text);
	if (sm_condition_holds(&c, &m->d, &have) != want)
		fail_msg("'%s': %s", text, have.data);
	assert_string_equal(have.data, why);
	sm_buf_release(&have);
}

static void test_meaning(void **state)
{
	struct made m;

	(void)state;
	make(&m);
	says(&m, "grown>1M", true, "grown is 3.0 MiB");
	says(&m, "grown>3M", false, "grown is 3.0 MiB");
	says(&m, "grown>=3M", true, "grown is 3.0 MiB");
	says(&m, "grown>=3072KiB", true, "grown is 3.0 MiB");
	says(&m, " grown <= 3145728 ", true, "grown is 3.0 MiB");
	says(&m, "grown<3m", false, "grown is 3.0 MiB");
	says(&m, "grown==3M", true, "grown is 3.0 MiB");
	says(&m, "grown!=3M", false, "grown is 3.0 MiB");
	says(&m, "grown>0.001G", true, "grown is 3.0 MiB");
	says(&m, "grown>1T", false, "grown is 3.0 MiB");
	says(&m, "max-grown>2047k", true, "max-grown is 2.0 MiB");
	says(&m, "grown-rows>2", true, "grown-rows is 3");
	says(&m, "new>0", true, "new is 512 B");
	says(&m, "new-rows>1", false, "new-rows is 1");
	says(&m, "gone>0", false, "gone is 0 B");
	says(&m, "shrunk>=300", true, "shrunk is 300 B");
	says(&m, "increase>3M", true, "increase is 3.0 MiB");
	says(&m, "increase-rows==4", true, "increase-rows is 4");
	says(&m, "decrease==300", true, "decrease is 300 B");
	says(&m, "max-decrease==200", true, "max-decrease is 200 B");
	says(&m, "rows==6", true, "rows is 6");
	says(&m, "new>50%", true, "new is 512 B, 51.2% of the old total");
	says(&m, "new>52%", false, "new is 512 B, 51.2% of the old total");
	/* Without what is suppressed. */
	says(&m, "delta==3998600", true, "delta is 3.8 MiB");
	says(&m, "total==3999500", true, "total is 3.8 MiB");
	says(&m, "delta>-5", true, "delta is 3.8 MiB");
}

static void test_nothing(void **state)
{
	struct made m;

	(void)state;
	make(&m);
	m.d.nsuppressed = 0;
	m.d.accepted = (struct sm_diff_sum){0};
	m.inputs[0].total = 0;
	says(&m, "new>1000000%", true, "new is 512 B, inf% of the old total");
	says(&m, "gone>0%", false, "gone is 0 B, 0.0% of the old total");
	m.inputs[0].total = 5000000;
	says(&m, "delta<-10%", true, "delta is -976.6 KiB, -20.0% of the old total");
	m.d.is_bytes = false;
	says(&m, "delta<0", true, "delta is -1,000,000");
	/* Per second: of 4 s and of 2. */
	m.d.opts.normalize = true;
	m.inputs[0].window = 4;
	m.inputs[1].window = 2;
	says(&m, "delta==750000", true, "delta is 750,000/s");
	says(&m, "total>1M", true, "total is 2,000,000/s");
}

static void test_series(void **state)
{
	struct made m;

	(void)state;
	make(&m);
	m.d.ninputs = 3;
	m.d.inputs = calloc(3, sizeof(*m.d.inputs));
	m.d.nsuppressed = 0;
	m.d.of_verdict[SM_VERDICT_GROWING] = (struct sm_diff_sum){2, 4096, 0, 3000};
	says(&m, "growing>1k", true, "growing is 4.0 KiB");
	says(&m, "growing-rows>2", false, "growing-rows is 2");
	says(&m, "max-growing>2999", true, "max-growing is 2.9 KiB");
	says(&m, "saturating>0", false, "saturating is 0 B");
	says(&m, "grown>1M", true, "grown is 3.0 MiB");
	free(m.d.inputs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_meaning),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_series),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
