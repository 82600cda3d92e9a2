/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Indexes: what was written is found again, and damage of each byte is noticed. */
#include "made_map.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void test_roundtrip(void **state)
{
	static const size_t sizes[][2] = {{0, 0}, {1, 0}, {1, 1}, {CODE_MARK - 1, 3},
		{CODE_MARK, 4}, {CODE_MARK + 1, 5}, {341, 341}, {342, 342}, {5000, 3000}};
	const struct scratch *s = *state;
	struct index *index;
	struct made m;
	size_t found;

	for (size_t i = 0; i < SM_ARRAY_SIZE(sizes); i++) {
		made_make(&m, sizes[i][0], sizes[i][1], 7);
		made_write(s, ID, &m);
		index = made_open(s, ID);
		assert_non_null(index);
		assert_int_equal(sm_index_map(index)->nsegments, sizes[i][0]);
		assert_true(made_agrees(sm_index_map(index), &m.map, &found));
		assert_int_equal(found, sizes[i][0]);
		assert_false(sm_index_damaged(index));
		assert_int_equal(sm_code_map_find(sm_index_map(index), BASE - 1, NULL, 0), 0);
		sm_index_close(index);
		made_release(&m);
	}
}

static void test_ids(void **state)
{
	static const char *const bad[] = {NULL, "", "ab", "abc", "abcde", "ABCDEF", "../../etc/x",
		"abcdef/0", "abcdef.", "0x1234", " 123456"};
	const struct scratch *s = *state;
	char longest[INDEX_ID_MAX + 3];
	struct index *index;
	struct made m;
	size_t found;

	made_make(&m, 10, 2, 1);
	for (size_t i = 0; i < SM_ARRAY_SIZE(bad); i++) {
		made_write(s, bad[i], &m);
		assert_null(made_open(s, bad[i]));
	}
	memset(longest, 'a', sizeof(longest));
	longest[INDEX_ID_MAX + 2] = '\0';
	made_write(s, longest, &m);
	assert_null(made_open(s, longest));
	scratch_run(s, "test ! -e cache");
	longest[INDEX_ID_MAX] = '\0';
	made_write(s, longest, &m);
	index = made_open(s, longest);
	assert_non_null(index);
	assert_true(made_agrees(sm_index_map(index), &m.map, &found));
	sm_index_close(index);
	assert_null(made_open(s, ID));
	/* Under another's name it isn't that one. */
	scratch_run(s, "mv cache/*.index '%s'", made_path(s, ID));
	assert_null(made_open(s, ID));
	assert_null(sm_index_open(NULL, ID, NULL, &index));
	assert_null(index);
	made_release(&m);
}

static void put_byte(const struct scratch *s, size_t at, uint8_t byte)
{
	int fd = open(made_path(s, ID), O_WRONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, &byte, 1, (off_t)at), 1);
	close(fd);
}

/* Inside what is checked: the header, the tables (here of a block each), what is behind them. */
static bool byte_counts(const struct made *m, size_t at)
{
	const size_t lens[] = {sizeof(struct index_header),
		m->map.nsegments * sizeof(struct code_segment),
		m->map.nscopes * sizeof(struct code_scope), m->map.strings_len};

	if (at / INDEX_BLOCK >= SM_ARRAY_SIZE(lens))
		return true;
	assert_true(lens[at / INDEX_BLOCK] <= INDEX_BLOCK);
	return at % INDEX_BLOCK < lens[at / INDEX_BLOCK];
}

/* Damage of each byte of a file, one after the other: never a wrong answer, and always noticed. */
static void test_each_byte(void **state)
{
	const struct scratch *s = *state;
	struct index *index;
	size_t len, found;
	uint8_t *data;
	struct made m;

	made_make(&m, 2 * CODE_MARK / 3, 30, 3);
	made_write(s, ID, &m);
	data = scratch_load(s, "cache/" ID "-1.index", &len);
	for (size_t at = 0; at < len; at++) {
		bool counts = byte_counts(&m, at);

		if (!counts && at % 101)
			continue;
		put_byte(s, at, data[at] ^ (uint8_t)(1 + at % 255));
		index = made_open(s, ID);
		if (!counts)
			assert_non_null(index);
		if (index) {
			assert_true(made_agrees(sm_index_map(index), &m.map, &found));
			assert_int_equal(sm_index_damaged(index), counts);
			assert_int_equal(found < m.map.nsegments, counts);
			/* Gone, so that it can be made anew. */
			assert_int_equal(access(made_path(s, ID), F_OK), counts ? -1 : 0);
			sm_index_close(index);
		}
		if (access(made_path(s, ID), F_OK) != 0)
			made_write(s, ID, &m);
		else
			put_byte(s, at, data[at]);
	}
	free(data);
	made_release(&m);
}

/* The same where tables have many blocks, and segments, scopes and strings lie across two: what
 * isn't touched by the damage is still found. */
static void test_each_block(void **state)
{
	const struct scratch *s = *state;
	struct index *index;
	size_t len, found;
	uint8_t *data;
	struct made m;

	made_make(&m, 5000, 3000, 3);
	made_write(s, ID, &m);
	data = scratch_load(s, "cache/" ID "-1.index", &len);
	for (size_t i = 3; i < 3 * len / INDEX_BLOCK; i++) {
		static const size_t places[] = {0, INDEX_BLOCK / 2, INDEX_BLOCK - 1};
		size_t at = i / 3 * INDEX_BLOCK + places[i % 3];

		put_byte(s, at, data[at] ^ 1);
		index = made_open(s, ID);
		if (index) {
			assert_true(made_agrees(sm_index_map(index), &m.map, &found));
			assert_int_equal(found < m.map.nsegments, sm_index_damaged(index));
			/* All have the same file, whose string is in one block. */
			if (at < INDEX_BLOCK + m.map.nsegments * sizeof(struct code_segment))
				assert_true(found > m.map.nsegments / 2);
			sm_index_close(index);
		}
		if (access(made_path(s, ID), F_OK) != 0)
			made_write(s, ID, &m);
		else
			put_byte(s, at, data[at]);
	}
	free(data);
	made_release(&m);
}

static void test_each_length(void **state)
{
	const struct scratch *s = *state;
	uint8_t *data;
	struct made m;
	size_t len;

	made_make(&m, 400, 30, 3);
	made_write(s, ID, &m);
	data = scratch_load(s, "cache/" ID "-1.index", &len);
	for (size_t n = len + 1; n-- > 0;) {
		if (n == len)
			continue;
		assert_int_equal(truncate(made_path(s, ID), (off_t)n), 0);
		assert_null(made_open(s, ID));
		/* Large steps where only one table is cut. */
		if (n > 2 * INDEX_BLOCK && n < len - 200)
			n -= 16;
	}
	/* Longer, too. */
	scratch_write(s, "cache/" ID "-1.index", data, len);
	chmod(made_path(s, ID), 0600);
	assert_int_equal(truncate(made_path(s, ID), (off_t)len + 1), 0);
	assert_null(made_open(s, ID));
	free(data);
	made_release(&m);
}

/* Sound by its own checksums, but of other kinds. */
static void test_other_kinds(void **state)
{
	const struct scratch *s = *state;
	struct index_header *h;
	struct index *index;
	uint8_t *data;
	struct made m;
	size_t len;

	made_make(&m, 400, 30, 3);
	made_write(s, ID, &m);
	data = scratch_load(s, "cache/" ID "-1.index", &len);
	for (unsigned kind = 0; kind < 9; kind++) {
		uint8_t *copy = malloc(len);

		assert_non_null(copy);
		memcpy(copy, data, len);
		h = (struct index_header *)(void *)copy;
		switch (kind) {
		case 1:
			h->version++;
			break;
		case 2:
			h->byte_order = __builtin_bswap32(h->byte_order);
			break;
		case 3:
			h->magic[0] = 'S';
			break;
		case 4:
			h->nsegments = UINT64_MAX / sizeof(struct code_segment);
			break;
		case 5:
			h->strings_len = UINT64_MAX;
			break;
		case 6:
			h->nscopes += INDEX_BLOCK;
			break;
		case 7:
			h->build_id[0] = 'f';
			break;
		case 8:
			h->file_size += INDEX_BLOCK;
			break;
		default:
			break;
		}
		h->checksum = sm_index_header_sum(h);
		scratch_write(s, "cache/" ID "-1.index", copy, len);
		chmod(made_path(s, ID), 0600);
		index = made_open(s, ID);
		assert_true(!index == !!kind);
		sm_index_close(index);
		free(copy);
	}
	free(data);
	made_release(&m);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_roundtrip),
		TEST(test_ids),
		TEST(test_each_byte),
		TEST(test_each_block),
		TEST(test_each_length),
		TEST(test_other_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
