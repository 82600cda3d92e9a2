/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a profile's rows to the ones that are shown. */
#include "capture.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <smtool/view.h>

/* do_work is called from sys_call, irq_work from entry; mod_open is a module's. */
#define HEAD "kernel le 64 page 4096 format 7.2\ninclude symbols64.inc\nstep 1000\nat 1000000\n"

struct ranked {
	struct capture c;
	struct sm_symbols *syms;
	struct sm_profile *profile;
};

static void ranked_make(
	struct ranked *r, void **state, const char *script, const struct sm_profile_opts *opts)
{
	static const struct sm_symbols_opts symbols;

	capture_make(&r->c, *state, script);
	expect_none(sm_symbols_open(r->c.src, &symbols, &r->syms));
	r->profile = capture_profile(&r->c, opts);
}

static void ranked_free(struct ranked *r)
{
	sm_profile_free(r->profile);
	sm_symbols_free(r->syms);
	capture_close(&r->c);
}

/* "VALUE LABEL" or "VALUE ids 1,2 frame;frame" a line, then "hidden N VALUE" where there is any. */
static char *show(const struct ranked *r, const struct sm_table_opts *opts)
{
	struct sm_table *t;
	struct sm_buf b = {0};

	expect_none(sm_table_build(r->profile, r->syms, opts, &t));
	sm_buf_adds(&b, "");
	for (size_t i = 0; i < t->nrows; i++) {
		const struct sm_table_row *row = &t->rows[i];

		sm_buf_addf(&b, "%llu", (unsigned long long)row->m[opts->by]);
		if (opts->group == SM_GROUP_FUNCTION)
			sm_buf_addf(&b, " (%llu)", (unsigned long long)row->cumulative);
		for (size_t k = 0; k < row->nstack_ids; k++)
			sm_buf_addf(&b, k ? ",%u" : " ids %u", row->stack_ids[k]);
		if (row->label)
			sm_buf_addf(&b, " %s", row->label);
		for (uint32_t k = 0; k < row->depth; k++) {
			struct sm_symbol sym;

			sm_buf_addc(&b, k ? ';' : ' ');
			if (row->ips[k] == SM_TRAMPOLINE)
				sm_buf_addc(&b, '@');
			else if (sm_symbols_find_caller(r->syms, row->ips[k], &sym))
				sm_buf_addf(&b, "%s+%u", sym.name, (unsigned)sym.offset);
			else
				sm_buf_addf(&b, "%llx", (unsigned long long)row->ips[k]);
		}
		sm_buf_addc(&b, '\n');
	}
	if (t->hidden_rows)
		sm_buf_addf(&b, "hidden %zu %llu\n", t->hidden_rows,
			(unsigned long long)t->hidden_value);
	sm_table_free(t);
	return b.data;
}

static void shows(const struct ranked *r, const struct sm_table_opts *opts, const char *want)
{
	char *have = show(r, opts);

	assert_string_equal(have, want);
	free(have);
}

#define PATTERNS(...)                                                               \
	{                                                                           \
		(const char *const[]){__VA_ARGS__},                                 \
			sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *) \
	}

static const char SCRIPT[] = HEAD
	/* 5 and 6 hold the same addresses; 9 nobody uses. */
	"map {\n"
	"stack 5 2 kmem_trace+8 do_work+32 sys_call+48 entry+16\n"
	"stack 6 1 kmem_trace+8 do_work+32 sys_call+48 entry+16\n"
	"stack 9 100 trampoline do_work+153 entry+16\n"
	"}\n"
	"kmalloc site=do_work+32 ptr=0x1000 req=1\nstackid 6\n"
	"kmalloc site=do_work+32 ptr=0x2000 req=2\nstackid 5\n"
	"kmalloc site=do_work+32 ptr=0x3000 req=4\nstack kmem_trace+8 do_work+32 sys_call+48 "
	"entry+16\n"
	/* another way through the allocator: the same row once trimmed */
	"kmalloc site=do_work+32 ptr=0x4000 req=8\n"
	"stack kmem_trace+8 kmalloc_wrap+64 do_work+32 sys_call+48 entry+16\n"
	"kmalloc site=irq_work+32 ptr=0x5000 req=16\nstack kmem_trace+8 irq_work+32 entry+128\n"
	"kmalloc site=mod_open+32 ptr=0x6000 req=32\n"
	"stack kmem_trace+8 mod_open+32 sys_call+48 entry+16\n"
	"kmalloc site=mod_open+64 ptr=0x7000 req=64\n"
	"stack kmem_trace+8 mod_open+64 do_work+32 do_work+48 entry+16\n"
	"kmalloc site=do_work+32 ptr=0x8000 req=128\nstackid 77\n"
	"kmalloc site=do_work+32 ptr=0x9000 req=256\nstackid -1\n"
	"kmalloc site=do_work+32 ptr=0xa000 req=512\nstackid 400000\n";

static void test_stacks(void **state)
{
	struct ranked r;

	ranked_make(&r, state, SCRIPT, NULL);
	shows(&r, &(struct sm_table_opts){.by = SM_M_BYTES},
		"640 ids 77,400000 [unresolved id]\n"
		"256 [no stack]\n"
		"64 mod_open+64;do_work+32;do_work+48;entry+16\n"
		"32 mod_open+32;sys_call+48;entry+16\n"
		"16 irq_work+32;entry+128\n"
		"15 ids 5,6 do_work+32;sys_call+48;entry+16\n");
	/* By ref_count, what has none isn't an answer; ids of a stack add up. */
	shows(&r, &(struct sm_table_opts){.by = SM_M_REF_COUNT},
		"100 ids 9 do_work+153;entry+16\n"
		"3 ids 5,6 do_work+32;sys_call+48;entry+16\n");
	shows(&r, &(struct sm_table_opts){.by = SM_M_BYTES, .no_skip = true, .limit = 4},
		"640 ids 77,400000 [unresolved id]\n"
		"256 [no stack]\n"
		"64 kmem_trace+8;mod_open+64;do_work+32;do_work+48;entry+16\n"
		"32 kmem_trace+8;mod_open+32;sys_call+48;entry+16\n"
		"hidden 3 31\n");
	ranked_free(&r);
}

static void test_choose(void **state)
{
	struct ranked r;

	ranked_make(&r, state, SCRIPT, NULL);
	shows(&r, &(struct sm_table_opts){.by = SM_M_BYTES, .focus = PATTERNS("^mod_", "^irq")},
		"64 mod_open+64;do_work+32;do_work+48;entry+16\n"
		"32 mod_open+32;sys_call+48;entry+16\n"
		"16 irq_work+32;entry+128\n");
	shows(&r, &(struct sm_table_opts){.by = SM_M_BYTES, .focus = PATTERNS("\\[testmod\\]$")},
		"64 mod_open+64;do_work+32;do_work+48;entry+16\n"
		"32 mod_open+32;sys_call+48;entry+16\n");
	/* Rows without a stack match nothing. */
	shows(&r, &(struct sm_table_opts){.by = SM_M_BYTES, .ignore = PATTERNS("testmod", "irq")},
		"640 ids 77,400000 [unresolved id]\n"
		"256 [no stack]\n"
		"15 ids 5,6 do_work+32;sys_call+48;entry+16\n");
	shows(&r,
		&(struct sm_table_opts){.by = SM_M_BYTES,
			.focus = PATTERNS("sys_call"),
			.ignore = PATTERNS("do_work")},
		"32 mod_open+32;sys_call+48;entry+16\n");
	/* The frames that are trimmed don't choose. */
	shows(&r, &(struct sm_table_opts){.by = SM_M_BYTES, .focus = PATTERNS("kmem_trace")}, "");
	/* Hiding merges what becomes equal, after choosing. */
	shows(&r,
		&(struct sm_table_opts){.by = SM_M_BYTES,
			.focus = PATTERNS("work", "mod"),
			.hide = PATTERNS("_(open|work)")},
		"64 ids 9 entry+16\n"
		"47 ids 5,6 sys_call+48;entry+16\n"
		"16 entry+128\n");
	shows(&r,
		&(struct sm_table_opts){
			.by = SM_M_BYTES, .focus = PATTERNS("mod"), .hide = PATTERNS(".")},
		"96 [all frames hidden]\n");
	ranked_free(&r);
}

static void test_groups(void **state)
{
	struct ranked r;

	ranked_make(&r, state, SCRIPT, NULL);
	/* Cumulative counts a function once per stack, however often it occurs there. */
	shows(&r, &(struct sm_table_opts){.by = SM_M_BYTES, .group = SM_GROUP_FUNCTION},
		"640 (640) [unresolved id]\n"
		"256 (256) [no stack]\n"
		"96 (96) mod_open [testmod]\n"
		"16 (16) irq_work\n"
		"15 (79) do_work\n"
		"0 (127) entry\n"
		"0 (47) sys_call\n");
	shows(&r, &(struct sm_table_opts){.by = SM_M_BYTES, .group = SM_GROUP_CALLER},
		"640 [unresolved id]\n"
		"256 [no stack]\n"
		"64 mod_open+0x40/0x800 [testmod]\n"
		"32 mod_open+0x20/0x800 [testmod]\n"
		"16 irq_work+0x20/0x1000\n"
		"15 do_work+0x20/0x1000\n");
	shows(&r, &(struct sm_table_opts){.by = SM_M_BYTES, .group = SM_GROUP_MODULE},
		"640 [unresolved id]\n"
		"256 [no stack]\n"
		"96 testmod\n"
		"31 [kernel]\n");
	shows(&r,
		&(struct sm_table_opts){
			.by = SM_M_BYTES, .group = SM_GROUP_FUNCTION, .hide = PATTERNS("mod_open")},
		"640 (640) [unresolved id]\n"
		"256 (256) [no stack]\n"
		"79 (79) do_work\n"
		"32 (47) sys_call\n"
		"16 (16) irq_work\n"
		"0 (127) entry\n");
	ranked_free(&r);
	ranked_make(&r, state, SCRIPT,
		&(struct sm_profile_opts){.attr = SM_ATTR_COMM, .by_stack = true});
	shows(&r,
		&(struct sm_table_opts){
			.by = SM_M_BYTES, .group = SM_GROUP_ATTR, .focus = PATTERNS("irq")},
		"16 <...>\n");
	ranked_free(&r);
}

/* Rows that are told apart by several attributes, too. */
static void test_attributes(void **state)
{
	static const char script[] =
		HEAD "kmalloc cpu=0 pid=1 site=do_work+32 ptr=0x1000 req=1 alloc=8\nstack "
		     "do_work+32 entry+16\n"
		     "kmalloc cpu=0 pid=2 site=do_work+32 ptr=0x2000 req=2 alloc=8\nstack "
		     "do_work+32 entry+16\n"
		     "kmalloc cpu=0 pid=2 site=do_work+32 ptr=0x3000 req=4 alloc=16\nstack "
		     "do_work+32 entry+16\n"
		     "kmalloc cpu=0 pid=2 site=irq_work+32 ptr=0x4000 req=8 alloc=64\nstack "
		     "irq_work+32 entry+16\n"
		     "kmalloc cpu=0 pid=1 site=irq_work+32 ptr=0x5000 req=16 alloc=64\n";
	const struct sm_table_opts by = {.by = SM_M_BYTES_REQ};
	struct sm_table_opts some = by;
	uint8_t rows[5] = {0};
	struct sm_table *t;
	struct ranked r;

	ranked_make(&r, state, script,
		&(struct sm_profile_opts){.attrs = 1u << SM_ATTR_PID | 1u << SM_ATTR_SIZE});
	assert_int_equal(r.profile->attrs, 1u << SM_ATTR_PID | 1u << SM_ATTR_SIZE);
	assert_int_equal(r.profile->nrows, 5);
	/* Each stack is one row, as without attributes. */
	shows(&r, &by, "16 [no stack]\n8 irq_work+32;entry+16\n7 do_work+32;entry+16\n");
	for (size_t n = 1; n <= 2; n++) {
		some = by;
		some.limit = n;
		shows(&r, &some,
			n == 1 ? "16 [no stack]\nhidden 2 15\n"
			       : "16 [no stack]\n8 irq_work+32;entry+16\nhidden 1 7\n");
	}
	some = by;
	some.group = SM_GROUP_ATTR;
	some.attr = SM_ATTR_PID;
	shows(&r, &some, "17 1\n14 2\n");
	some.attr = SM_ATTR_SIZE;
	shows(&r, &some, "24 64\n4 16\n3 8\n");
	some.attr = SM_ATTR_CPU;
	scratch_expect(sm_table_build(r.profile, r.syms, &some, &t), SM_E_USAGE, "that attribute");
	/* The rows of one pid. */
	for (size_t i = 0; i < r.profile->nrows; i++)
		rows[i] = strcmp(sm_profile_value(r.profile, r.profile->rows[i].attr, SM_ATTR_PID),
				  "2") == 0;
	some = by;
	some.rows = rows;
	shows(&r, &some, "8 irq_work+32;entry+16\n6 do_work+32;entry+16\n");
	some.limit = 1;
	shows(&r, &some, "8 irq_work+32;entry+16\nhidden 1 6\n");
	some.group = SM_GROUP_FUNCTION;
	some.limit = 0;
	shows(&r, &some, "8 (8) irq_work\n6 (6) do_work\n0 (14) entry\n");
	expect_none(sm_table_build(r.profile, r.syms, &some, &t));
	assert_int_equal(t->totals[SM_M_BYTES_REQ], 14);
	assert_int_equal(t->totals[SM_M_COUNT], 3);
	assert_null(t->opts.rows);
	sm_table_free(t);
	memset(rows, 0, sizeof(rows));
	shows(&r, &some, "");
	ranked_free(&r);
	/* The profile's own attribute, and another one. */
	ranked_make(&r, state, script,
		&(struct sm_profile_opts){
			.attr = SM_ATTR_SIZE, .attrs = 1u << SM_ATTR_PID, .by_stack = true});
	some = by;
	some.group = SM_GROUP_ATTR;
	shows(&r, &some, "24 64\n4 16\n3 8\n");
	some.attr = SM_ATTR_PID;
	shows(&r, &some, "17 1\n14 2\n");
	ranked_free(&r);
}

/* Where no row merges with another, the limit is known before rows are built. */
static void test_chosen_rows(void **state)
{
	struct sm_table_opts opts = {.by = SM_M_BYTES_REQ};
	struct sm_buf script = {0};
	uint8_t rows[40];
	struct ranked r;

	sm_buf_adds(&script, HEAD);
	for (unsigned i = 1; i <= 40; i++)
		sm_buf_addf(&script, "kmalloc ptr=%u req=%u\nstack do_work+%u entry+16\n", i * 4096,
			i, i);
	ranked_make(&r, state, script.data, NULL);
	sm_buf_release(&script);
	assert_int_equal(r.profile->nrows, 40);
	for (size_t i = 0; i < 40; i++)
		rows[i] = r.profile->rows[i].m[SM_M_BYTES_REQ] % 10 == 3;
	opts.rows = rows;
	opts.no_skip = true;
	opts.limit = 2;
	shows(&r, &opts, "33 do_work+33;entry+16\n23 do_work+23;entry+16\nhidden 2 16\n");
	opts.limit = 5;
	shows(&r, &opts,
		"33 do_work+33;entry+16\n23 do_work+23;entry+16\n13 do_work+13;entry+16\n"
		"3 do_work+3;entry+16\n");
	ranked_free(&r);
}

/* Without names: addresses, and modules unknown. */
static void test_no_symbols(void **state)
{
	struct ranked r;

	ranked_make(&r, state, SCRIPT, NULL);
	sm_symbols_free(r.syms);
	r.syms = NULL;
	shows(&r,
		&(struct sm_table_opts){.by = SM_M_BYTES,
			.group = SM_GROUP_FUNCTION,
			.focus = PATTERNS("^0xffffffffc0001040$")},
		"64 (64) 0xffffffffc0001040\n"
		"0 (64) 0xffffffff81000010\n"
		"0 (64) 0xffffffff81002020\n"
		"0 (64) 0xffffffff81002030\n");
	shows(&r,
		&(struct sm_table_opts){
			.by = SM_M_REF_COUNT, .group = SM_GROUP_MODULE, .no_skip = true},
		"100 [kernel]\n3 [unknown]\n");
	ranked_free(&r);
}

static void test_refused(void **state)
{
	struct sm_table *t;
	struct ranked r;

	ranked_make(&r, state, SCRIPT, NULL);
	scratch_expect(sm_table_build(r.profile, r.syms,
			       &(struct sm_table_opts){.focus = PATTERNS("ok", "a(b")}, &t),
		SM_E_USAGE, "--focus 'a(b'");
	assert_null(t);
	scratch_expect(sm_table_build(r.profile, r.syms,
			       &(struct sm_table_opts){.hide = PATTERNS("[")}, &t),
		SM_E_USAGE, "--hide '['");
	ranked_free(&r);
	ranked_make(&r, state, HEAD "kmalloc ptr=0x1000 req=1\n", NULL);
	scratch_expect(sm_table_build(r.profile, r.syms,
			       &(struct sm_table_opts){.by = SM_M_REF_COUNT}, &t),
		SM_E_USAGE, "'ref_count' isn't known of this input; known are: count, bytes");
	ranked_free(&r);
}

/* The first N are the first N of all of them, for every N and key; ties always fall the same way.
 */
static void test_limits(void **state)
{
	static const enum sm_group groups[] = {
		SM_GROUP_STACK, SM_GROUP_FUNCTION, SM_GROUP_CALLER, SM_GROUP_MODULE};
	struct sm_buf script = {0};
	uint64_t random = 9;
	struct ranked r;

	sm_buf_adds(&script, HEAD);
	for (unsigned i = 0; i < 600; i++) {
		unsigned site = (unsigned)random_below(&random, 150) * 16 + 16;

		sm_buf_addf(&script,
			"cpu %u\nkmalloc site=do_work+%u ptr=%u req=%u\nstack do_work+%u "
			"sys_call+%u entry+16\n",
			(unsigned)random_below(&random, 3), site, 0x1000 + i * 64,
			(unsigned)random_below(&random, 4), site,
			(unsigned)random_below(&random, 2) * 16 + 16);
	}
	ranked_make(&r, state, script.data, NULL);
	for (size_t g = 0; g < SM_ARRAY_SIZE(groups); g++) {
		struct sm_table_opts all = {.by = SM_M_BYTES, .group = groups[g]};
		struct sm_table *full;

		expect_none(sm_table_build(r.profile, r.syms, &all, &full));
		for (size_t n = 1; n <= full->nrows + 1; n += n < 20 ? 1 : 37) {
			struct sm_table_opts some = all;
			struct sm_table *t;
			uint64_t rest = full->totals[SM_M_BYTES];

			some.limit = n;
			expect_none(sm_table_build(r.profile, r.syms, &some, &t));
			assert_int_equal(t->nrows, n < full->nrows ? n : full->nrows);
			assert_int_equal(t->hidden_rows, full->nrows - t->nrows);
			for (size_t i = 0; i < t->nrows; i++) {
				assert_memory_equal(
					t->rows[i].m, full->rows[i].m, sizeof(t->rows[i].m));
				assert_int_equal(t->rows[i].cumulative, full->rows[i].cumulative);
				assert_int_equal(t->rows[i].depth, full->rows[i].depth);
				if (t->rows[i].depth)
					assert_memory_equal(t->rows[i].ips, full->rows[i].ips,
						t->rows[i].depth * 8);
				else
					assert_string_equal(t->rows[i].label, full->rows[i].label);
				rest -= t->rows[i].m[SM_M_BYTES];
				assert_true(i == 0 || t->rows[i - 1].m[SM_M_BYTES] >=
							      t->rows[i].m[SM_M_BYTES]);
			}
			assert_int_equal(t->hidden_value, rest);
			sm_table_free(t);
		}
		sm_table_free(full);
	}
	sm_buf_release(&script);
	/* However the stacks were numbered. */
	for (unsigned threads = 1; threads < 5; threads++) {
		struct sm_profile_opts opts = {.threads = threads};
		static char *first;
		char *have;

		sm_profile_free(r.profile);
		sm_trace_free(r.c.trace);
		expect_none(sm_trace_open(r.c.src, &(struct sm_trace_opts){0}, &r.c.trace));
		r.profile = capture_profile(&r.c, &opts);
		have = show(&r, &(struct sm_table_opts){.by = SM_M_COUNT});
		if (first)
			assert_string_equal(have, first);
		free(first);
		first = have;
		if (threads == 4)
			free(have);
	}
	ranked_free(&r);
}

/* Against all pairs; stacks of few frames, so that they share much. */
static void test_tell_apart(void **state)
{
	struct sm_table_opts opts = {.by = SM_M_BYTES, .every_row = true, .no_skip = true};
	unsigned seen[3] = {0};

	for (uint64_t seed = 1; seed <= 4; seed++) {
		struct sm_buf script = {0};
		uint64_t random = seed;
		struct sm_table *t;
		uint32_t *frames;
		struct ranked r;

		sm_buf_adds(&script, HEAD "kmalloc ptr=4096 req=1\n");
		for (unsigned i = 0; seed > 1 && i < 300; i++) {
			uint64_t depth = 1 + random_below(&random, 8);

			sm_buf_addf(&script, "kmalloc ptr=%u req=1\nstack", 8192 + 64 * i);
			while (depth--)
				sm_buf_addf(&script, " do_work+%u",
					16 + 16 * (unsigned)random_below(&random, seed));
			sm_buf_addc(&script, '\n');
		}
		ranked_make(&r, state, script.data, NULL);
		sm_buf_release(&script);
		expect_none(sm_table_build(r.profile, r.syms, &opts, &t));
		frames = malloc(t->nrows * sizeof(*frames));
		memset(frames, 0xff, t->nrows * sizeof(*frames));
		expect_none(sm_table_tell_apart(t, frames));
		for (size_t i = 0; i < t->nrows; i++) {
			const struct sm_table_row *a = &t->rows[i];
			uint32_t want = 0;

			for (size_t k = 0; k < t->nrows; k++) {
				const struct sm_table_row *b = &t->rows[k];
				uint32_t same = 0;

				while (k != i && same < a->depth && same < b->depth &&
					a->ips[same] == b->ips[same])
					same++;
				want = same > want ? same : want;
			}
			seen[!want ? 0 : want < a->depth ? 1 : 2]++;
			if (want && want == a->depth)
				want--;
			assert_int_equal(frames[i], want);
		}
		free(frames);
		sm_table_free(t);
		ranked_free(&r);
	}
	assert_true(seen[0] >= 4 && seen[1] > 20 && seen[2] > 20);
}

/* Keys are equal for equal functions, wherever a kernel was loaded; and differ otherwise. */
static void test_keys(void **state)
{
	uint64_t a[] = {UINT64_C(0xffffffff81002020), UINT64_C(0xffffffff81000010)}, key;
	struct sm_symbols_opts symbols = {0};
	struct sm_symbols *syms;
	struct capture c;

	capture_make(&c, *state, HEAD "kfree ptr=1\n");
	expect_none(sm_symbols_open(c.src, &symbols, &syms));
	key = sm_stack_key(syms, a, 2);
	assert_int_equal(sm_stack_key(syms, a, 2), key);
	assert_int_not_equal(sm_stack_key(syms, a, 1), key);
	assert_int_not_equal(sm_stack_key(NULL, a, 2), key);
	a[0]++;
	assert_int_not_equal(sm_stack_key(syms, a, 2), key);
	sm_symbols_free(syms);
	capture_close(&c);
	/* The same functions 2 MiB higher. */
	capture_make(&c, *state,
		"kernel le 64 page 4096 format 7.2\n"
		"kallsyms 0xffffffff81200000 entry\n"
		"kallsyms 0xffffffff81202000 do_work\n"
		"kallsyms 0xffffffff81203000 end\n"
		"buildid 8899aabbccddeeff00112233445566778899aabb\n"
		"kfree ptr=1\n");
	expect_none(sm_symbols_open(c.src, &symbols, &syms));
	a[0] = UINT64_C(0xffffffff81202020);
	a[1] = UINT64_C(0xffffffff81200010);
	assert_int_equal(sm_stack_key(syms, a, 2), key);
	sm_symbols_free(syms);
	capture_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)
		TEST(test_stacks),
		TEST(test_choose),
		TEST(test_groups),
		TEST(test_attributes),
		TEST(test_chosen_rows),
		TEST(test_no_symbols),
		TEST(test_refused),
		TEST(test_limits),
		TEST(test_tell_apart),
		TEST(test_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
