/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Filters and attributes of a profile, and what is odd about objects: clocks, overlaps, bad
 * addresses. */
#include "capture.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define KERNEL "kernel le 64 page 4096 format 6.18\ninclude symbols64.inc\nstep 1000\nat 1000000\n"

/* Each allocation has a size of its own, so that a sum tells which were counted. */
static const char SCRIPT[] =
	KERNEL "cpu 0\n"
	       "kmalloc pid=100 ptr=0x1000 req=1 alloc=8 gfp=GFP_KERNEL\n"
	       "kmalloc pid=100 ptr=0x2000 req=10 alloc=16 gfp=GFP_KERNEL|__GFP_ZERO\n"
	       "kmem_cache_alloc pid=200 ptr=0x3000 req=100 alloc=128 gfp=GFP_ATOMIC name=dentry\n"
	       "cpu 4\n"
	       "kmem_cache_alloc pid=200 ptr=0x4000 req=1000 alloc=1024 name=inode_cache\n"
	       "kmalloc pid=300 ptr=0x5000 req=10000 alloc=16384\n"
	       "kmalloc pid=0 ptr=0x6000 req=100000 alloc=2048\n"
	       "mm_page_alloc pid=100 pfn=0x10 order=0 gfp=GFP_KERNEL\n"
	       "mm_page_alloc pid=200 pfn=0x20 order=3 gfp=GFP_ATOMIC\n"
	       "kfree pid=100 ptr=0x1000\n"
	       "kmem_cache_free pid=200 ptr=0x3000 name=dentry\n"
	       "sched_switch pid=100 prev_pid=100 next_pid=200\n";

static uint64_t total(struct capture *c, const struct sm_profile_opts *o, enum sm_metric m)
{
	struct sm_profile *p = capture_profile(c, o);
	uint64_t v = p->totals[m];

	sm_profile_free(p);
	return v;
}

static void test_filters(void **state)
{
	struct capture c;

	capture_make(&c, *state, SCRIPT);
#define REQ(...) total(&c, &(struct sm_profile_opts){__VA_ARGS__}, SM_M_BYTES_REQ)
#define WORDS(...)                           \
	{(const char *const[]){__VA_ARGS__}, \
		sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)}
#define NUMBERS(...)        \
	(const int64_t[])   \
	{                   \
		__VA_ARGS__ \
	}
	assert_int_equal(REQ(.threads = 1), 111111);
	assert_int_equal(REQ(.family = SM_FAMILY_PAGE), 4096 * 9);
	assert_int_equal(REQ(.pids = NUMBERS(100, 300), .npids = 2), 10011);
	assert_int_equal(REQ(.cpus = NUMBERS(4), .ncpus = 1), 111000);
	assert_int_equal(REQ(.cpus = NUMBERS(1), .ncpus = 1), 0);
	assert_int_equal(REQ(.comms = WORDS("worker")), 11);
	assert_int_equal(REQ(.comms = WORDS("reader*", "<idle>")), 101100);
	/* A task without a name. */
	assert_int_equal(REQ(.comms = WORDS("<...>")), 10000);
	assert_int_equal(REQ(.caches = WORDS("dentry")), 100);
	assert_int_equal(REQ(.caches = WORDS("kmalloc-8", "kmalloc-16")), 11);
	assert_int_equal(REQ(.caches = WORDS("kmalloc-2k")), 100000);
	assert_int_equal(REQ(.caches = WORDS("kmalloc-large")), 10000);
	assert_int_equal(REQ(.caches = WORDS("*_cache", "kmalloc-?")), 1001);
	assert_int_equal(REQ(.caches = WORDS("nothing")), 0);
	assert_int_equal(REQ(.gfps = WORDS("__GFP_ZERO")), 10);
	assert_int_equal(REQ(.gfps = WORDS("GFP_KERNEL")), 111011);
	assert_int_equal(REQ(.gfps = WORDS("GFP_KERNEL|__GFP_ZERO", "GFP_ATOMIC")), 110);
	assert_int_equal(REQ(.min_size = 128), 111100);
	assert_int_equal(REQ(.max_size = 128), 111);
	assert_int_equal(REQ(.min_size = 16, .max_size = 128), 110);
	assert_int_equal(REQ(.family = SM_FAMILY_PAGE, .orders = NUMBERS(3), .norders = 1), 32768);
	assert_int_equal(REQ(.orders = NUMBERS(3), .norders = 1), 0);
	assert_int_equal(REQ(.events = WORDS("kmalloc")), 110011);
	assert_int_equal(REQ(.events = WORDS("kmem:kmem_cache_alloc")), 1100);
	assert_int_equal(REQ(.events = WORDS("k*alloc*")), 111111);
	assert_int_equal(REQ(.events = WORDS("*:kmalloc", "mm_page_alloc")), 110011 + 36864);
	assert_int_equal(REQ(.events = WORDS("kmalloc"), .comms = WORDS("worker"),
				 .gfps = WORDS("__GFP_ZERO")),
		10);
#define COUNT(...) total(&c, &(struct sm_profile_opts){__VA_ARGS__}, SM_M_COUNT)
	assert_int_equal(COUNT(.events = WORDS("kfree")), 1);
	assert_int_equal(COUNT(.events = WORDS("kfree", "kmem_cache_free")), 2);
	assert_int_equal(COUNT(.events = WORDS("sched_switch")), 1);
	assert_int_equal(COUNT(.events = WORDS("kmem_cache_free"), .caches = WORDS("dentry")), 1);
	assert_int_equal(COUNT(.events = WORDS("kmem:*", "sched:sched_switch")), 11);
	capture_close(&c);
}

static void refused(struct capture *c, const struct sm_profile_opts *o, const char *text)
{
	struct sm_profile *p;

	scratch_expect(sm_profile_build(c->trace, o, &p), SM_E_USAGE, text);
	assert_null(p);
}

static void test_refused(void **state)
{
	struct capture c;

	capture_make(&c, *state, SCRIPT);
	refused(&c, &(struct sm_profile_opts){.events = WORDS("kmalloc", "kmolloc")}, "'kmolloc'");
	refused(&c, &(struct sm_profile_opts){.events = WORDS("other:kmalloc")}, "no such event");
	refused(&c, &(struct sm_profile_opts){.events = WORDS("")}, "no such event");
	refused(&c, &(struct sm_profile_opts){.gfps = WORDS("GFP_KERNAL")}, "'GFP_KERNAL'");
	refused(&c, &(struct sm_profile_opts){.gfps = WORDS("GFP_KERNEL|X")}, "unknown GFP name");
	refused(&c, &(struct sm_profile_opts){.gfps = WORDS("")}, "unknown GFP name");
	capture_close(&c);
}

/* "LABEL REQ" of each row, sorted by what the profile's order is not: joined in the rows' order. */
static void groups_are(struct capture *c, enum sm_attr attr, enum sm_family family,
	const char *const *want, size_t n)
{
	struct sm_profile_opts o = {.attr = attr, .family = family};
	struct sm_profile *p = capture_profile(c, &o);

	assert_int_equal(p->nrows, n);
	for (size_t i = 0; i < n; i++) {
		bool found = false;

		for (size_t r = 0; r < p->nrows; r++) {
			struct sm_buf b = {0};

			assert_int_equal(p->rows[r].stack, SM_STACK_NONE);
			sm_profile_label(p, p->rows[r].attr, &b);
			sm_buf_addf(&b, " %llu", (unsigned long long)p->rows[r].m[SM_M_BYTES_REQ]);
			found |= strcmp(b.data, want[i]) == 0;
			sm_buf_release(&b);
		}
		if (!found)
			fail_msg("no group '%s'", want[i]);
	}
	sm_profile_free(p);
}

static void test_attributes(void **state)
{
	struct capture c;

	capture_make(&c, *state, SCRIPT);
#define GROUPS(attr, family, ...)                                        \
	groups_are(&c, attr, family, (const char *const[]){__VA_ARGS__}, \
		sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))
	GROUPS(SM_ATTR_COMM, SM_FAMILY_SLAB, "worker 11", "reader thread 1100", "<...> 10000",
		"<idle> 100000");
	GROUPS(SM_ATTR_PID, SM_FAMILY_SLAB, "100 11", "200 1100", "300 10000", "0 100000");
	GROUPS(SM_ATTR_CPU, SM_FAMILY_SLAB, "0 111", "4 111000");
	GROUPS(SM_ATTR_EVENT, SM_FAMILY_SLAB, "kmalloc 110011", "kmem_cache_alloc 1100");
	GROUPS(SM_ATTR_CACHE, SM_FAMILY_SLAB, "kmalloc-8 1", "kmalloc-16 10", "dentry 100",
		"inode_cache 1000", "kmalloc-large 10000", "kmalloc-2k 100000");
	GROUPS(SM_ATTR_GFP, SM_FAMILY_SLAB, "GFP_KERNEL 111001", "GFP_KERNEL|__GFP_ZERO 10",
		"GFP_ATOMIC 100");
	GROUPS(SM_ATTR_SIZE, SM_FAMILY_SLAB, "8 1", "16 10", "128 100", "1024 1000", "16384 10000",
		"2048 100000");
	GROUPS(SM_ATTR_ORDER, SM_FAMILY_PAGE, "0 4096", "3 32768");
	GROUPS(SM_ATTR_ORDER, SM_FAMILY_SLAB, "[no order] 111111");
	capture_close(&c);
}

/* Totals of a script of objects alone. */
static struct sm_profile *objects(
	void **state, struct capture *c, const char *script, enum sm_family family)
{
	capture_make(c, *state, script);
	return capture_profile(c, &(struct sm_profile_opts){.family = family});
}

static void finish(struct capture *c, struct sm_profile *p)
{
	sm_profile_free(p);
	capture_close(c);
}

/* CPUs' clocks differ slightly: a free can come before its allocation. */
static void test_early_free(void **state)
{
	static const char script[] =
		"at 1000000\ncpu 1\nkfree ptr=0x1000\n" /* 0.9 ms before its allocation */
		"kfree ptr=0x2000\n"                    /* too long before */
		"cpu 0\nkfree ptr=0x3000\n"             /* the same CPU as its allocation */
		"at 1900000\nkmalloc ptr=0x1000 req=64\n"
		"kmalloc ptr=0x1000 req=32\n" /* that free is used up */
		"kmalloc ptr=0x3000 req=8\n"
		"at 2500000\nkmalloc ptr=0x2000 req=128\n";
	static const struct {
		const char *clock;
		uint64_t live, unmatched, frees;
	} clocks[] = {{"local", 32 + 8 + 128, 2, 1}, {"mono", 32 + 8 + 128, 3, 0},
		{"global", 32 + 8 + 128, 3, 0}};

	for (size_t i = 0; i < SM_ARRAY_SIZE(clocks); i++) {
		struct sm_profile *p;
		struct capture c;
		char text[1024];

		snprintf(text, sizeof(text), "kernel le 64 page 4096 format 6.18\nclock %s\n%s",
			clocks[i].clock, script);
		p = objects(state, &c, text, SM_FAMILY_SLAB);
		assert_int_equal(p->health.unmatched_frees, clocks[i].unmatched);
		assert_int_equal(p->totals[SM_M_FREES], clocks[i].frees);
		assert_int_equal(p->totals[SM_M_LIVE_BYTES], clocks[i].live);
		/* Where the clock orders events, the second allocation found the first one live. */
		assert_int_equal(p->health.reused, clocks[i].frees ? 0 : 1);
		finish(&c, p);
	}
}

/* Blocks whose frees nobody saw, in each other's way. */
static void test_overlap(void **state)
{
	struct capture c;
	struct sm_profile *p = objects(state, &c,
		KERNEL "mm_page_alloc pfn=0x100 order=3\n"
		       "mm_page_alloc pfn=0x102 order=0\n"
		       "mm_page_free pfn=0x101 order=0\n"
		       "mm_page_free pfn=0x102 order=0\n"
		       "mm_page_free pfn=0x100 order=0\n",
		SM_FAMILY_PAGE);

	/* What was behind 0x102 went with the block that came to lie there. */
	assert_int_equal(p->totals[SM_M_LIVE_BYTES], 0);
	assert_int_equal(p->totals[SM_M_LIVE_COUNT], 0);
	assert_int_equal(p->health.unmatched_frees, 0);
	finish(&c, p);
	/* One free of what was allocated as two, and of pages in any order. */
	p = objects(state, &c,
		KERNEL "mm_page_alloc pfn=0x200 order=1\n"
		       "mm_page_alloc pfn=0x202 order=1\n"
		       "mm_page_free pfn=0x200 order=2\n"
		       "mm_page_alloc pfn=0x300 order=3\n"
		       "mm_page_free pfn=0x300 order=0\n"
		       "mm_page_free pfn=0x303 order=0\n"
		       "mm_page_free pfn=0x306 order=0\n"
		       "mm_page_free pfn=0x305 order=0\n",
		SM_FAMILY_PAGE);
	assert_int_equal(p->totals[SM_M_LIVE_BYTES], 4 * 4096);
	assert_int_equal(p->health.unmatched_frees, 0);
	finish(&c, p);
}

/* Addresses that no kernel has: counted, and no object. */
static void test_bad_addresses(void **state)
{
	struct capture c;
	struct sm_profile *p = objects(state, &c,
		KERNEL
		"repeat 20000 {\nkmalloc ptr=-1 req=8\nkmalloc ptr=16 req=8\nkfree ptr=-1\n}\n",
		SM_FAMILY_SLAB);

	assert_int_equal(p->totals[SM_M_COUNT], 40000);
	assert_int_equal(p->totals[SM_M_LIVE_COUNT], 0);
	assert_int_equal(p->totals[SM_M_PEAK_BYTES], 0);
	finish(&c, p);
	/* The largest order that is read, at both ends of memory: quick, and no wrap. */
	p = objects(state, &c,
		KERNEL "mm_page_alloc pfn=0 order=20\nmm_page_alloc pfn=-2 order=20\n"
		       "mm_page_free pfn=5 order=0\n"
		       "repeat 10000 {\nmm_page_free pfn=0x40000000 order=20\n"
		       "mm_page_free pfn=-3 order=20\nmm_page_free pfn=-2 order=0\n}\n",
		SM_FAMILY_PAGE);
	assert_int_equal(p->totals[SM_M_COUNT], 2);
	assert_int_equal(p->totals[SM_M_LIVE_BYTES], ((UINT64_C(1) << 20) - 1) * 4096);
	assert_int_equal(p->totals[SM_M_LIVE_COUNT], 2);
	finish(&c, p);
}

static void test_mixed(void **state)
{
	const struct sm_profile_opts mixed = {.events = WORDS("kmalloc", "mm_page_alloc")};
	struct sm_profile *p;
	struct capture c;

	capture_make(&c, *state, SCRIPT);
	p = capture_profile(&c, &mixed);
	assert_true(p->mixed);
	finish(&c, p);
	/* Without slab events, pages are what is meant. */
	capture_make(&c, *state, KERNEL "mm_page_alloc pfn=16 order=1\n");
	p = capture_profile(&c, NULL);
	assert_int_equal(p->family, SM_FAMILY_PAGE);
	assert_int_equal(p->totals[SM_M_BYTES], 8192);
	finish(&c, p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)
		TEST(test_filters),
		TEST(test_refused),
		TEST(test_attributes),
		TEST(test_early_free),
		TEST(test_overlap),
		TEST(test_bad_addresses),
		TEST(test_mixed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
