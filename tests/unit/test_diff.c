/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What rows of two captures are the same, and what is said of them. */
#include "capture.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <smtool/diff.h>

#define MAX_SIDES 8

/* A kernel whose addresses and names its script chooses. */
#define KERNEL(ID, SLIDE, OPEN)                                           \
	"kernel le 64 page 4096 format 7.2\nbuildid " ID "\nclock mono\n" \
	"kallsyms 0xffffffff81000000+" SLIDE " entry type=T\n"            \
	"kallsyms 0xffffffff81001000+" SLIDE " sys_call type=T\n"         \
	"kallsyms 0xffffffff81002000+" SLIDE " " OPEN "\n"                \
	"kallsyms 0xffffffff81003000+" SLIDE " end_of_text\n"             \
	"kallsyms 0xffffffffc0001000+" SLIDE " mod_open testmod\n"        \
	"kallsyms 0xffffffffc0001800+" SLIDE " mod_close testmod\n"       \
	"module testmod 0xffffffffc0001000+" SLIDE " 8192 buildid=aa\n"

struct compared {
	struct capture c[MAX_SIDES];
	struct sm_symbols *syms[MAX_SIDES];
	struct sm_profile *profiles[MAX_SIDES];
	struct sm_table *tables[MAX_SIDES];
	struct sm_diff *d;
	size_t n;
};

static void open_side(
	struct compared *c, struct scratch *s, const char *script, const struct sm_table_opts *opts)
{
	static const struct sm_symbols_opts symbols = {.no_debug = true};
	static const struct sm_profile_opts profile;
	size_t i = c->n++;
	char name[16];

	snprintf(name, sizeof(name), "side%zu", i);
	scratch_run(s, "rm -rf %s", name);
	capture_play(s, name, script);
	capture_open(&c->c[i], s, name, NULL);
	expect_none(sm_symbols_open(c->c[i].src, &symbols, &c->syms[i]));
	c->profiles[i] = capture_profile(&c->c[i], &profile);
	expect_none(sm_table_build(c->profiles[i], c->syms[i], opts, &c->tables[i]));
}

static struct sm_error *try_compare(struct compared *c, void **state, const char *const *scripts,
	const struct sm_table_opts *table, const struct sm_diff_opts *opts)
{
	memset(c, 0, sizeof(*c));
	for (size_t i = 0; scripts[i]; i++)
		open_side(c, *state, scripts[i], table);
	return sm_diff_build((const struct sm_table *const *)c->tables, c->n, opts, &c->d);
}

static void compare(struct compared *c, void **state, const char *const *scripts,
	const struct sm_table_opts *table, const struct sm_diff_opts *opts)
{
	expect_none(try_compare(c, state, scripts, table, opts));
}

static void release(struct compared *c)
{
	sm_diff_free(c->d);
	for (size_t i = 0; i < c->n; i++) {
		sm_table_free(c->tables[i]);
		sm_profile_free(c->profiles[i]);
		sm_symbols_free(c->syms[i]);
		capture_close(&c->c[i]);
	}
}

/* "STATUS FIRST LAST name+offset;..." or a label, a line each, significant ones marked with !. */
static void shows(const struct compared *c, const char *want)
{
	const struct sm_diff *d = c->d;
	struct sm_buf b = {0};

	sm_buf_adds(&b, "");
	for (size_t i = 0; i < d->nrows; i++) {
		const struct sm_diff_row *row = &d->rows[i];

		sm_buf_addf(&b, "%s%s %llu %llu", sm_diff_status_name(row->status),
			row->significant ? "!" : "", (unsigned long long)row->values[0],
			(unsigned long long)row->values[d->ninputs - 1]);
		if (row->label)
			sm_buf_addf(&b, " %s", row->label);
		for (uint32_t k = 0; !row->label && k < row->row->depth; k++) {
			struct sm_symbol sym;

			sm_buf_addc(&b, k ? ';' : ' ');
			if (sm_symbols_find(c->syms[row->input], row->row->ips[k], &sym))
				sm_buf_addf(&b, "%s+%u", sym.name, (unsigned)sym.offset);
			else
				sm_buf_addf(&b, "%llx", (unsigned long long)row->row->ips[k]);
		}
		sm_buf_addc(&b, '\n');
	}
	assert_string_equal(b.data, want);
	sm_buf_release(&b);
}

static bool notes(const struct compared *c, const char *text)
{
	for (size_t i = 0; i < c->d->nnotes; i++)
		if (strstr(c->d->notes[i], text))
			return true;
	return false;
}

static const struct sm_table_opts BY_REF = {.by = SM_M_REF_COUNT};
static const struct sm_table_opts BY_BYTES = {.by = SM_M_BYTES};
static const struct sm_diff_opts ALL = {.fdr = 0.05, .all = true};
static const struct sm_diff_opts NOISE = {.fdr = 0.05};

#define STACKS(A, B, C, D)                                    \
	"map {\n"                                             \
	"stack " A " entry+0x2020 sys_call+0x40 entry+0x80\n" \
	"stack " B " mod_open+0x10 sys_call+0x40\n"           \
	"stack " C " mod_close+0x20 sys_call+0x40\n"          \
	"stack " D " sys_call+0x44 trampoline entry+0x80\n"   \
	"}\n"

/* Other ids, another boot with other addresses: the stacks are the same. */
static void test_exact(void **state)
{
	const char *const scripts[] = {KERNEL("01", "0", "open")
					       STACKS("1 100", "2 200", "3 300", "4 400"),
		KERNEL("01", "0x200000", "open") STACKS("9 100", "1 500", "2 30", "3 401"), NULL};
	struct compared c;
	struct sm_diff_opts keep = NOISE;

	compare(&c, state, scripts, &BY_REF, &NOISE);
	shows(&c, "grown! 200 500 mod_open+16;sys_call+64\n"
		  "shrunk! 300 30 mod_close+32;sys_call+64\n");
	assert_int_equal(c.d->equal_rows, 1);
	assert_int_equal(c.d->chance.rows, 1);
	assert_true(c.d->chance.up == 1 && c.d->chance.most == 1);
	assert_true(sm_diff_delta(c.d) == 31);
	assert_int_equal(c.d->of_status[SM_DIFF_GROWN].rows, 1);
	assert_true(c.d->of_status[SM_DIFF_GROWN].up == 300);
	assert_true(c.d->of_status[SM_DIFF_SHRUNK].down == 270);
	assert_int_equal(c.d->nnotes, 0);
	/* A row's key is that of `top` in either. */
	assert_true(sm_diff_key(c.d, &c.d->rows[0]) ==
		    sm_stack_key(c.syms[1], c.d->rows[0].row->ips, c.d->rows[0].row->depth));
	release(&c);
	keep.keep_chance = true;
	compare(&c, state, scripts, &BY_REF, &keep);
	assert_int_equal(c.d->nrows, 3);
	assert_false(c.d->rows[2].significant);
	assert_int_equal(c.d->of_status[SM_DIFF_GROWN].rows, 1);
	release(&c);
}

/* Says stop when it is asked for the n-th time. */
static bool stop_at(void *ctx)
{
	unsigned *left = ctx;

	return *left == 0 || --*left == 0;
}

static void test_stopped(void **state)
{
	const char *const scripts[] = {KERNEL("01", "0", "open")
					       STACKS("1 100", "2 200", "3 300", "4 400"),
		KERNEL("01", "0x200000", "open") STACKS("9 100", "1 500", "2 30", "3 401"), NULL};
	unsigned left = 1000, asked;
	struct sm_diff_opts opts = NOISE;
	struct compared c;
	struct sm_error *err;

	opts.stopped = stop_at;
	opts.stopped_ctx = &left;
	compare(&c, state, scripts, &BY_REF, &opts);
	asked = 1000 - left;
	/* Of each input, and of the rows that are judged. */
	assert_int_equal(asked, 3);
	assert_null(c.d->opts.stopped);
	release(&c);
	for (unsigned i = 1; i <= asked; i++) {
		left = i;
		err = try_compare(&c, state, scripts, &BY_REF, &opts);
		assert_non_null(err);
		assert_int_equal(err->code, SM_E_STOPPED);
		assert_null(c.d);
		sm_error_free(err);
		release(&c);
	}
}

static void test_match_label(void **state)
{
	static const struct {
		enum sm_match match;
		enum sm_group group;
		const char *label, *want;
	} cases[] = {
		{SM_MATCH_EXACT, SM_GROUP_CALLER, "f.isra.0+0x1f/0x40 [xfs]",
			"f.isra.0+0x1f/0x40 [xfs]"},
		{SM_MATCH_FUNCTION, SM_GROUP_CALLER, "f.isra.0+0x1f/0x40 [xfs]", "f [xfs]"},
		{SM_MATCH_FUNCTION, SM_GROUP_FUNCTION, "f.constprop.0", "f"},
		{SM_MATCH_FUNCTION, SM_GROUP_MODULE, "f.isra.0", "f.isra.0"},
		{SM_MATCH_FUNCTION, SM_GROUP_ATTR, "kworker/0:1+0x2", "kworker/0:1+0x2"},
		{SM_MATCH_FUNCTION, SM_GROUP_FUNCTION, "[no stack]", "[no stack]"},
	};

	(void)state;
	for (size_t i = 0; i < SM_ARRAY_SIZE(cases); i++) {
		struct sm_buf b = {0};

		sm_match_label(cases[i].match, cases[i].group, cases[i].label, &b);
		assert_string_equal(b.data, cases[i].want);
		sm_buf_release(&b);
	}
}

/* Another build: nothing is the same but names. Those that a compiler made count as the plain one.
 */
static void test_function(void **state)
{
	const char *const scripts[] = {KERNEL("01", "0", "open.isra.0")
					       STACKS("1 100", "2 200", "3 300", "4 400"),
		KERNEL("02", "0x300000", "open.constprop.0.cold")
			STACKS("1 900", "2 200", "3 300", "4 400"),
		NULL};
	struct sm_diff_opts function = ALL;
	struct compared c;

	/* The module is the same build: but its caller isn't. */
	compare(&c, state, scripts, &BY_REF, &ALL);
	assert_int_equal(c.d->nrows, 8);
	assert_true(notes(&c, "kernels differ: build id 01 of "));
	release(&c);
	function.match = SM_MATCH_FUNCTION;
	compare(&c, state, scripts, &BY_REF, &function);
	shows(&c, "grown! 100 900 open.constprop.0.cold+32;sys_call+64;entry+128\n");
	assert_int_equal(c.d->equal_rows, 3);
	assert_int_equal(c.d->nnotes, 0);
	release(&c);
}

/* Stacks that differ in offsets alone are one row by functions. */
static void test_merged(void **state)
{
	const char *const scripts[] = {
		KERNEL("01", "0", "open") "map {\n"
					  "stack 1 10 open+32 sys_call+64\n"
					  "stack 2 20 open+48 sys_call+64\n}\n",
		KERNEL("01", "0", "open") "map {\nstack 1 70 open+16 sys_call+32\n}\n", NULL};
	struct sm_diff_opts function = ALL;
	struct compared c;

	compare(&c, state, scripts, &BY_REF, &ALL);
	shows(&c, "new! 0 70 open+16;sys_call+32\n"
		  "gone! 20 0 open+48;sys_call+64\n"
		  "gone! 10 0 open+32;sys_call+64\n");
	release(&c);
	function.match = SM_MATCH_FUNCTION;
	compare(&c, state, scripts, &BY_REF, &function);
	shows(&c, "grown! 30 70 open+16;sys_call+32\n");
	assert_int_equal(c.d->rows[0].counts[0], 30);
	release(&c);
}

static void test_unresolved(void **state)
{
	static const char BARE[] = "kernel le 64 page 4096 format 7.2\nomit proc/kallsyms\n"
				   "map {\nstack 1 %u 0xffffffff81002020 0xffffffff81001040\n}\n";
	char old[256], new[256];
	const char *const scripts[] = {old, new, NULL};
	struct compared c;

	snprintf(old, sizeof(old), BARE, 10);
	snprintf(new, sizeof(new), BARE, 100);
	compare(&c, state, scripts, &BY_REF, &ALL);
	shows(&c, "grown! 10 100 ffffffff81002020;ffffffff81001040\n");
	assert_true(notes(&c, "2 of 2 addresses of "));
	assert_int_equal(c.d->inputs[1].unresolved, 2);
	release(&c);
}

#define OPEN(SIZE, N)                                                                 \
	"repeat " N " {\nkmalloc site=open+32 ptr=$p req=" SIZE "\nlet p = $p+4096\n" \
	"stack open+32 sys_call+64\n}\n"
#define MOD(SIZE, N)                                                                      \
	"repeat " N " {\nkmalloc site=mod_open+16 ptr=$p req=" SIZE "\nlet p = $p+4096\n" \
	"stack mod_open+16 sys_call+64\n}\n"
#define EVENTS "let p = 0x1000\nstep 1000000\nat 1000000000\n"

/* The objects are what chance is asked about, also where bytes are compared; that they became
 * larger is no chance either, though there are as many. */
static void test_noise(void **state)
{
	const char *const scripts[] = {KERNEL("01", "0", "open") EVENTS OPEN("1024", "3")
					       MOD("64", "500"),
		KERNEL("01", "0", "open") EVENTS OPEN("1024", "8") MOD("96", "500"), NULL};
	struct sm_suppressions *known;
	struct sm_diff_opts opts = NOISE;
	struct compared c;

	compare(&c, state, scripts, &BY_BYTES, &NOISE);
	shows(&c, "grown! 32000 48000 mod_open+16;sys_call+64\n");
	assert_true(c.d->chance.rows == 1 && c.d->chance.up == 5120);
	/* Twice the tail of 3 or less of 11, by hand. */
	release(&c);
	compare(&c, state, scripts, &BY_BYTES, &ALL);
	assert_int_equal(c.d->nrows, 2);
	assert_true(c.d->rows[1].p > 0.2265 && c.d->rows[1].p < 0.2267);
	release(&c);
	/* A rate of 1 takes everything. */
	opts.fdr = 1;
	compare(&c, state, scripts, &BY_BYTES, &opts);
	assert_int_equal(c.d->nrows, 2);
	release(&c);
	opts = ALL;
	opts.limit = 1;
	compare(&c, state, scripts, &BY_BYTES, &opts);
	assert_int_equal(c.d->nrows, 1);
	assert_true(c.d->hidden.rows == 1 && c.d->hidden.up == 5120);
	release(&c);
	opts = NOISE;
	expect_none(sm_suppressions_parse("known", "^mod_ # why\nnever\n", 18, &known));
	opts.suppressions = known;
	compare(&c, state, scripts, &BY_BYTES, &opts);
	assert_int_equal(c.d->nrows, 0);
	assert_int_equal(c.d->nsuppressed, 1);
	assert_true(c.d->accepted.up == 16000);
	assert_true(c.d->of_suppression[0].rows == 1 && c.d->suppression_used[0]);
	assert_false(c.d->suppression_used[1]);
	assert_int_equal(c.d->of_status[SM_DIFF_GROWN].rows, 0);
	release(&c);
	sm_suppressions_free(known);
}

/* Twice as long a window, twice as many: the same rate. */
static void test_normalize(void **state)
{
	const char *const scripts[] = {KERNEL("01", "0", "open") EVENTS OPEN("64", "101"),
		KERNEL("01", "0", "open") EVENTS OPEN("64", "201"), NULL};
	const char *const empty[] = {
		scripts[0], KERNEL("01", "0", "open") EVENTS OPEN("64", "1"), NULL};
	struct sm_diff_opts opts = NOISE;
	struct compared c;

	compare(&c, state, scripts, &BY_BYTES, &NOISE);
	assert_int_equal(c.d->of_status[SM_DIFF_GROWN].rows, 1);
	assert_true(notes(&c, "windows differ, from 100 ms to 200 ms"));
	release(&c);
	opts.normalize = true;
	compare(&c, state, scripts, &BY_BYTES, &opts);
	assert_int_equal(c.d->nrows, 0);
	assert_int_equal(c.d->chance.rows, 1);
	assert_int_equal(c.d->nnotes, 0);
	assert_true(sm_diff_value(c.d, 0, 6464) == 64640);
	release(&c);
	scratch_expect(try_compare(&c, state, empty, &BY_BYTES, &opts), SM_E_USAGE,
		"no window to normalize by");
	release(&c);
	scratch_expect(try_compare(&c, state, scripts,
			       &(struct sm_table_opts){.by = SM_M_PEAK_BYTES}, &opts),
		SM_E_USAGE, "nothing to normalize");
	release(&c);
}

static void test_groups(void **state)
{
	const char *const scripts[] = {KERNEL("01", "0", "open.part.0") EVENTS
		"kmalloc site=open.part.0+32 ptr=1 req=64\nstack open.part.0+32 sys_call+64\n",
		KERNEL("02", "0x100000", "open") EVENTS OPEN("64", "100"), NULL};
	struct sm_diff_opts function = ALL;
	struct compared c;

	compare(&c, state, scripts,
		&(struct sm_table_opts){.by = SM_M_BYTES, .group = SM_GROUP_FUNCTION}, &ALL);
	shows(&c, "new! 0 6400 open\ngone 64 0 open.part.0\n");
	release(&c);
	compare(&c, state, scripts,
		&(struct sm_table_opts){.by = SM_M_BYTES, .group = SM_GROUP_MODULE}, &ALL);
	shows(&c, "grown! 64 6400 [kernel]\n");
	release(&c);
	function.match = SM_MATCH_FUNCTION;
	compare(&c, state, scripts,
		&(struct sm_table_opts){.by = SM_M_BYTES, .group = SM_GROUP_FUNCTION}, &function);
	shows(&c, "grown! 64 6400 open\n");
	release(&c);
	compare(&c, state, scripts,
		&(struct sm_table_opts){.by = SM_M_BYTES, .group = SM_GROUP_CALLER}, &function);
	shows(&c, "grown! 64 6400 open\n");
	release(&c);
}

/* A series in time: its unit, its order, its verdicts. */
static void test_series(void **state)
{
	static const unsigned LEAK[] = {100, 200, 300, 400, 500, 600, 700, 800};
	static const unsigned FILL[] = {100, 500, 700, 790, 800, 805, 800, 802};
	char text[MAX_SIDES][2048];
	const char *scripts[MAX_SIDES + 1] = {NULL};
	struct compared c;

	for (unsigned i = 0; i < MAX_SIDES; i++) {
		snprintf(text[i], sizeof(text[i]),
			KERNEL("01", "0", "open") EVENTS "at %u000000000\n" OPEN("64", "%u")
				MOD("64", "%u"),
			10 * i + 1, LEAK[i], FILL[i]);
		scripts[i] = text[i];
	}
	compare(&c, state, scripts, &BY_BYTES, &NOISE);
	assert_true(c.d->time_is_seconds);
	assert_true(c.d->inputs[7].time > 70 && c.d->inputs[7].time < 75);
	assert_int_equal(c.d->nrows, 2);
	shows(&c, "grown! 6400 51200 open+32;sys_call+64\n"
		  "grown! 6400 51328 mod_open+16;sys_call+64\n");
	assert_int_equal(c.d->rows[0].trend.verdict, SM_VERDICT_GROWING);
	assert_int_equal(c.d->rows[1].trend.verdict, SM_VERDICT_SATURATING);
	assert_true(c.d->rows[0].trend.slope > 600 && c.d->rows[0].trend.slope < 640);
	assert_int_equal(c.d->of_verdict[SM_VERDICT_GROWING].rows, 1);
	release(&c);
	/* Not in the order of time. */
	scripts[0] = text[1];
	scripts[1] = text[0];
	compare(&c, state, scripts, &BY_BYTES, &NOISE);
	assert_false(c.d->time_is_seconds);
	assert_true(notes(&c, "slopes are per step"));
	release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_exact, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_stopped, scratch_setup, scratch_teardown),
		cmocka_unit_test(test_match_label),
		cmocka_unit_test_setup_teardown(test_function, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_merged, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_unresolved, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_noise, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_normalize, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_groups, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_series, scratch_setup, scratch_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
