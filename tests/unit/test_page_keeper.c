/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pages that are kept while a recording goes on, and what a save makes of them. */
#include "scratch.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/source/recording.h"

#define PAGE 4096
#define CPUS 2
#define MEMBER SM_TRACING "/per_cpu/cpu%zu/trace_pipe_raw"

static const struct sm_tally_layout layout = {
	.page_size = PAGE, .data_offset = 16, .commit_offset = 8, .long_size = 8};

struct keep {
	struct scratch *s;
	struct sm_spool spools[CPUS];
	struct sm_keeper *keeper;
	struct sm_buf given[CPUS]; /* pages */
	uint64_t records[CPUS];    /* three in each page */
	void *cctx;
	uint64_t seed;
};

static void keep_open(struct keep *k, struct scratch *s, uint64_t limit, const char *dir)
{
	memset(k, 0, sizeof(*k));
	k->s = s;
	for (unsigned i = 0; i < CPUS; i++)
		k->spools[i] = (struct sm_spool){.cpu = i, .fd = -1};
	assert_null(sm_keeper_new(k->spools, CPUS, &layout, limit, dir, NULL, &k->keeper));
}

static void keep_close(struct keep *k)
{
	sm_keeper_free(k->keeper);
	for (unsigned i = 0; i < CPUS; i++) {
		sm_page_spool_release(&k->spools[i]);
		sm_buf_release(&k->given[i]);
	}
	sm_frame_release(&k->cctx);
}

/* Pages whose times count up, and which hardly compress. */
static void add(struct keep *k, size_t index, size_t n)
{
	uint8_t *pages = scratch_pattern(n * PAGE, (unsigned)++k->seed);
	struct sm_packed packed = {.index = index, .raw = n * PAGE, .records = 3 * n};
	struct sm_buf frame = {0};

	packed.time = 1000 * k->seed;
	for (size_t i = 0; i < n; i++) {
		uint64_t time = packed.time + i;

		memcpy(pages + i * PAGE, &time, sizeof(time));
	}
	assert_null(sm_frame_compress(&k->cctx, 1, pages, n * PAGE, &frame));
	packed.frame = frame.data;
	packed.len = frame.len;
	sm_keeper_add(k->keeper, &packed);
	sm_buf_add(&k->given[index], pages, n * PAGE);
	k->records[index] += packed.records;
	sm_buf_release(&frame);
	free(pages);
}

static struct sm_source *save(struct keep *k)
{
	const char *path = scratch_path(k->s, "out.tar.zst");
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct sm_archive *ar;
	char name[128];

	assert_true(fd >= 0);
	assert_null(sm_archive_new(fd, path, 1, &ar));
	for (size_t i = 0; i < CPUS; i++) {
		snprintf(name, sizeof(name), MEMBER, i);
		assert_null(sm_keeper_save(k->keeper, i, name, ar));
	}
	assert_null(sm_archive_add(ar, "smtool.json", "{}", 2));
	assert_null(sm_archive_finish(ar));
	close(fd);
	return scratch_open(k->s, "out.tar.zst");
}

/* Number of records that a page says are missing before it; it must have none itself. */
static uint64_t loss_of(const uint8_t *page)
{
	uint64_t commit = sm_load64(page + 8, false);

	assert_int_equal(commit & 0x7ffffff, 0);
	assert_int_equal(commit >> 30, (UINT64_MAX >> 30));
	return sm_load64(page + 16, false);
}

static void expect_whole(struct keep *k)
{
	struct sm_source *src = save(k);
	char name[128];

	for (size_t i = 0; i < CPUS; i++) {
		snprintf(name, sizeof(name), MEMBER, i);
		if (k->given[i].len)
			scratch_member_is(src, name, k->given[i].data, k->given[i].len);
		else
			assert_false(sm_source_has(src, name));
	}
	sm_source_free(src);
}

/* Whatever lies in the stage and whatever in the file, and however often it is saved. */
static void test_all(void **state)
{
	struct keep k;
	uint64_t bytes;
	bool all;

	keep_open(&k, *state, 0, ((struct scratch *)*state)->dir);
	expect_whole(&k);
	add(&k, 1, 1);
	expect_whole(&k);
	for (unsigned i = 0; i < 40; i++) {
		add(&k, i % 3 == 0, 1 + i % 60);
		if (i % 5 == 0)
			expect_whole(&k);
	}
	expect_whole(&k);
	sm_keeper_status(k.keeper, &bytes, &all);
	assert_true(all);
	/* Both files are longer than a stage, and hold what isn't in it. */
	for (unsigned i = 0; i < CPUS; i++)
		assert_true(k.spools[i].written >= sm_page_spool_block());
	assert_true(bytes > 1000000);
	keep_close(&k);
}

/* Past the limit: what is there is the end of what came, after a page that tells of the rest. */
static void test_limit(void **state)
{
	const uint64_t limit = 3000000;
	struct sm_source *src;
	struct sm_blob blob;
	struct stat st;
	struct keep k;
	uint64_t bytes, lost;
	char name[128];
	bool all;

	keep_open(&k, *state, limit, ((struct scratch *)*state)->dir);
	for (unsigned i = 0; i < 400; i++)
		add(&k, i % 4 == 0, 10);
	sm_keeper_status(k.keeper, &bytes, &all);
	assert_false(all);
	assert_true(bytes <= limit && bytes > limit * 3 / 4);
	src = save(&k);
	for (size_t i = 0; i < CPUS; i++) {
		size_t rest;

		snprintf(name, sizeof(name), MEMBER, i);
		assert_null(sm_source_read(src, name, 0, &blob));
		assert_null(blob.damage);
		rest = blob.size - PAGE;
		assert_true(rest > 0 && rest % (10 * PAGE) == 0 && rest < k.given[i].len);
		assert_memory_equal(
			blob.data + PAGE, k.given[i].data + k.given[i].len - rest, rest);
		lost = loss_of(blob.data);
		assert_int_equal(lost + rest / PAGE * 3, k.records[i]);
		/* It is of the time of what follows it. */
		assert_int_equal(
			sm_page_time(&layout, blob.data), sm_page_time(&layout, blob.data + PAGE));
		sm_blob_release(&blob);
		/* And their room is given back. */
		assert_int_equal(fstat(k.spools[i].fd, &st), 0);
		assert_true((uint64_t)st.st_blocks * 512 < limit + sm_page_spool_block());
		assert_true((uint64_t)st.st_size > limit || i);
	}
	sm_source_free(src);
	/* While it is held, nothing goes. */
	sm_keeper_hold(k.keeper);
	for (unsigned i = 0; i < 100; i++)
		add(&k, 0, 10);
	sm_keeper_status(k.keeper, &bytes, &all);
	assert_true(bytes > limit + 1000000);
	sm_keeper_let_go(k.keeper);
	add(&k, 0, 1);
	sm_keeper_status(k.keeper, &bytes, &all);
	assert_true(bytes <= limit);
	keep_close(&k);
}

/* Where nothing can be kept, the save tells that, and is no error. */
static void test_no_room(void **state)
{
	struct sm_source *src;
	struct sm_blob blob;
	struct keep k;
	uint64_t bytes;
	char name[128];
	bool all;

	keep_open(&k, *state, 0, "/nonexistent");
	add(&k, 0, 2);
	add(&k, 0, 5);
	sm_keeper_status(k.keeper, &bytes, &all);
	assert_false(all);
	assert_int_equal(bytes, 0);
	src = save(&k);
	snprintf(name, sizeof(name), MEMBER, (size_t)0);
	assert_null(sm_source_read(src, name, 0, &blob));
	assert_int_equal(blob.size, PAGE);
	assert_int_equal(loss_of(blob.data), 21);
	assert_int_equal(sm_page_time(&layout, blob.data), 1000);
	sm_blob_release(&blob);
	sm_source_free(src);
	keep_close(&k);
}

/* Long and short words, in either half. */
static void test_loss_page(void **state)
{
	const struct sm_tally_layout small = {
		.page_size = 64, .data_offset = 12, .commit_offset = 8, .long_size = 4};
	uint8_t page[64];

	(void)state;
	sm_loss_page(&small, 77, 5, page);
	assert_int_equal(sm_page_time(&small, page), 77);
	assert_int_equal(sm_load32(page + 8, false), UINT32_C(3) << 30);
	assert_int_equal(sm_load32(page + 12, false), 5);
	sm_loss_page(&small, 77, UINT64_C(1) << 40, page);
	assert_int_equal(sm_load32(page + 12, false), UINT32_MAX - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_all, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_limit, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_no_room, scratch_setup, scratch_teardown),
		cmocka_unit_test(test_loss_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
