/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stack_map_bin: what is sound in both orders, and each framing fault by its name and place. */
#include "scratch.h"

#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

#include <smtool/record.h>

/* A map as it is written, in either order. */
struct writer {
	struct sm_buf b;
	bool swap;
};

static void put32(struct writer *w, uint32_t v)
{
	v = w->swap ? __builtin_bswap32(v) : v;
	sm_buf_add(&w->b, &v, 4);
}

static void put64(struct writer *w, uint64_t v)
{
	v = w->swap ? __builtin_bswap64(v) : v;
	sm_buf_add(&w->b, &v, 8);
}

static void header(struct writer *w, uint32_t magic, uint32_t version, uint32_t n)
{
	put32(w, magic);
	put32(w, version);
	put32(w, n);
	put32(w, 0);
}

static void record(struct writer *w, uint32_t id, uint32_t nr, uint32_t refs, uint32_t ips)
{
	put32(w, id);
	put32(w, nr);
	put32(w, refs);
	put32(w, 0);
	for (uint32_t i = 0; i < ips; i++)
		put64(w, UINT64_C(0xffffffff81000000) + id * 0x1000 + i);
}

/* Parses a copy at an address that is `shift` off alignment, with nothing behind it. */
static struct sm_error *parse(
	const struct writer *w, bool lenient, size_t shift, struct sm_map **map)
{
	struct sm_blob blob = {.size = w->b.len, .path = strdup("map")};
	uint8_t *copy = malloc(w->b.len + shift + 1);

	memcpy(copy + shift, w->b.data ? w->b.data : "", w->b.len);
	blob.data = copy + shift;
	blob.owned = copy;
	return sm_map_parse(&blob, lenient, map);
}

static void sound(bool swap, size_t shift)
{
	struct writer w = {.swap = swap};
	struct sm_map *map;

	put32(&w, SM_MAP_MAGIC);
	put32(&w, 1);
	put32(&w, 3);
	put32(&w, 77); /* reserved: kept, never refused */
	record(&w, 524287, 1, 5, 1);
	record(&w, 0, 64, 0x7fffffff, 64);
	put32(&w, 9);
	put32(&w, 2);
	put32(&w, 1);
	put32(&w, 0xdeadbeef);
	put64(&w, SM_TRAMPOLINE);
	put64(&w, UINT64_MAX);
	assert_null(parse(&w, false, shift, &map));
	assert_int_equal(map->n, 3);
	assert_int_equal(map->claimed, 3);
	assert_int_equal(map->version, 1);
	assert_int_equal(map->reserved, 77);
	assert_int_equal(map->big_endian, sm_host_big_endian() != swap);
	assert_null(map->damage);
	assert_int_equal(map->records[0].id, 524287);
	assert_int_equal(map->records[0].ref_count, 5);
	assert_int_equal(map->records[0].depth, 1);
	assert_int_equal(map->records[0].ips[0], UINT64_C(0xffffffff81000000) + 0x7ffff000u);
	assert_int_equal(map->records[1].id, 0);
	assert_int_equal(map->records[1].ref_count, 0x7fffffff);
	assert_int_equal(map->records[1].depth, 64);
	for (uint64_t i = 0; i < 64; i++)
		assert_int_equal(map->records[1].ips[i], UINT64_C(0xffffffff81000000) + i);
	assert_int_equal(map->records[2].reserved, 0xdeadbeef);
	assert_int_equal(map->records[2].ips[0], SM_TRAMPOLINE);
	assert_int_equal(map->records[2].ips[1], UINT64_MAX);
	sm_map_free(map);
	sm_buf_release(&w.b);
}

static void test_sound(void **state)
{
	(void)state;
	for (size_t shift = 0; shift < 9; shift++) {
		sound(false, shift);
		sound(true, shift);
	}
}

static void test_empty(void **state)
{
	struct sm_map *map;

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct writer w = {.swap = swap};

		header(&w, SM_MAP_MAGIC, 1, 0);
		assert_null(parse(&w, false, 0, &map));
		assert_int_equal(map->n, 0);
		sm_map_free(map);
		sm_buf_release(&w.b);
	}
}

/* The fault must be found strictly, and leniently after `kept` records; kept < 0: an error always.
 */
static void faulty(
	const struct writer *w, enum sm_code code, uint64_t offset, const char *text, int kept)
{
	struct sm_error *err;
	struct sm_map *map;

	err = parse(w, false, 0, &map);
	assert_non_null(err);
	assert_true(err->has_offset);
	assert_int_equal(err->offset, offset);
	scratch_expect(err, code, text);
	assert_null(map);
	err = parse(w, true, 0, &map);
	if (kept < 0) {
		scratch_expect(err, code, text);
		return;
	}
	assert_null(err);
	assert_int_equal(map->n, kept);
	assert_non_null(map->damage);
	assert_int_equal(map->damage->offset, offset);
	assert_int_equal(map->damage->code, code);
	for (size_t i = 0; i < map->n; i++)
		for (uint32_t k = 0; k < map->records[i].depth; k++)
			assert_int_equal(map->records[i].ips[k],
				UINT64_C(0xffffffff81000000) + map->records[i].id * 0x1000 + k);
	sm_map_free(map);
}

static void test_faults(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct writer w = {.swap = swap};

		for (size_t len = 0; len < 16; len++) {
			sm_buf_reset(&w.b);
			header(&w, SM_MAP_MAGIC, 1, 0);
			w.b.len = len;
			faulty(&w, SM_E_TRUNCATED, 0, "header cut short", -1);
		}
		sm_buf_reset(&w.b);
		header(&w, 0x12345678, 1, 0);
		faulty(&w, SM_E_FORMAT, 0, "not a stack map", -1);
		sm_buf_reset(&w.b);
		header(&w, 0x464D5342, 2, 0);
		faulty(&w, SM_E_UNSUPPORTED, 0, "pre-release revision of the kernel patches", -1);
		for (uint32_t version = 0; version < 5; version += 2) {
			sm_buf_reset(&w.b);
			header(&w, SM_MAP_MAGIC, version, 0);
			faulty(&w, SM_E_UNSUPPORTED, 4, "unsupported stack map version", -1);
		}

		/* Each after one sound record of 2 addresses, which ends at byte 48. */
#define BEGIN(n)                                \
	do {                                    \
		sm_buf_reset(&w.b);             \
		header(&w, SM_MAP_MAGIC, 1, n); \
		record(&w, 5, 2, 1, 2);         \
	} while (0)
		BEGIN(2);
		faulty(&w, SM_E_TRUNCATED, 48, "fewer records than its header says", 1);
		BEGIN(UINT32_MAX);
		faulty(&w, SM_E_TRUNCATED, 48, "fewer records than its header says", 1);
		for (size_t len = 1; len < 16; len++) {
			BEGIN(2);
			record(&w, 6, 1, 1, 1);
			w.b.len = 48 + len;
			faulty(&w, SM_E_TRUNCATED, 48, "header needs 16 bytes", 1);
		}
		for (size_t len = 16; len < 40; len++) {
			BEGIN(2);
			record(&w, 6, 3, 1, 3);
			w.b.len = 48 + len;
			faulty(&w, SM_E_TRUNCATED, 48, "3 addresses need 24 bytes", 1);
		}
		BEGIN(2);
		record(&w, 6, 0, 1, 0);
		faulty(&w, SM_E_FORMAT, 52, "depth 0 of stack_id 6", 1);
		BEGIN(2);
		record(&w, 6, 65, 1, 65);
		faulty(&w, SM_E_FORMAT, 52, "depth 65 of stack_id 6", 1);
		BEGIN(2);
		record(&w, 6, UINT32_MAX, 1, 1);
		faulty(&w, SM_E_FORMAT, 52, "depth 4294967295", 1);
		BEGIN(2);
		record(&w, 1 << 19, 1, 1, 1);
		faulty(&w, SM_E_FORMAT, 48, "stack_id out of range", 1);
		BEGIN(2);
		record(&w, UINT32_MAX, 1, 1, 1);
		faulty(&w, SM_E_FORMAT, 48, "stack_id out of range", 1);
		BEGIN(2);
		record(&w, 5, 1, 1, 1);
		faulty(&w, SM_E_FORMAT, 48, "stack_id repeated", 1);
		BEGIN(1);
		record(&w, 6, 1, 1, 1);
		faulty(&w, SM_E_FORMAT, 48, "bytes after the last stack map record", 1);
		BEGIN(1);
		sm_buf_addc(&w.b, 'x');
		faulty(&w, SM_E_FORMAT, 48, "1 byte after the 1 records", 1);
		sm_buf_reset(&w.b);
		header(&w, SM_MAP_MAGIC, 1, 0);
		sm_buf_addc(&w.b, 'x');
		faulty(&w, SM_E_FORMAT, 16, "bytes after the last stack map record", 0);
		sm_buf_release(&w.b);
	}
}

static void test_stat(void **state)
{
	static const char text[] = "entries:      2500 / 16384\n"
				   "table_size:   32768\n"
				   "successes:    18446744073709551615\n"
				   "drops:        7\n"
				   "success_rate: 100%\n";
	struct sm_map_stat st;

	(void)state;
	sm_map_stat_parse(text, sizeof(text) - 1, &st);
	assert_true(st.present);
	assert_int_equal(st.entries, 2500);
	assert_int_equal(st.capacity, 16384);
	assert_int_equal(st.slots, 32768);
	assert_int_equal(st.successes, UINT64_MAX);
	assert_int_equal(st.drops, 7);
	/* Cut anywhere, or not of this kind. */
	for (size_t n = 0; n < sizeof(text); n++) {
		char *copy = malloc(n + 1);

		memcpy(copy, text, n);
		sm_map_stat_parse(copy, n, &st);
		free(copy);
	}
	sm_map_stat_parse("stackmap is off\n", 16, &st);
	assert_false(st.present);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sound),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_stat),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
