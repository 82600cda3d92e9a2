/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An index of a file's debug information: any number of threads makes the same, what is damaged is
 * left out and said, and what is read back is what the file says. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "finding.h"
#include "lookup.h"
#include "made_map.h"

#define UNITS 150
#define UNIT_CODE 0x40

/* Unit i has a function fI, with hI inlined at 0x10 to 0x20. Unit `damaged` has a DIE of an
 * abbreviation that doesn't exist. */
static void write_unit(struct dw *d, const struct ew_section *text, unsigned i, bool damaged)
{
	char file[32], name[32], helper[32];
	uint64_t at = (uint64_t)i * UNIT_CODE;

	snprintf(file, sizeof(file), "dir/u%u.c", i);
	snprintf(name, sizeof(name), "f%u", i);
	snprintf(helper, sizeof(helper), "h%u", i);
	for (UNIT(d, compile)) {
		dw_name(d, file);
		dw_string(d, DW_AT_comp_dir, "/src");
		dw_code(d, text, at, at + UNIT_CODE);
		for (LINES(d)) {
			dw_primary(d, "/src", file);
			dw_file(d, file, 0);
			dw_row(d, text, at, 1, 10 + i);
			dw_row(d, text, at + 0x10, 1, 5);
			dw_row(d, text, at + 0x20, 1, 12 + i);
			dw_end_sequence(d, text, at + UNIT_CODE);
		}
		for (DIE(d, subprogram)) {
			dw_name(d, name);
			dw_code(d, text, at, at + UNIT_CODE);
			for (DIE(d, inlined_subroutine)) {
				dw_origin(d, helper);
				dw_code(d, text, at + 0x10, at + 0x20);
				dw_call(d, 1, 11 + i);
			}
		}
		if (damaged)
			ew_uleb(d->info, 0x3fff);
		for (DIE(d, subprogram)) {
			dw_label(d, helper);
			dw_name(d, helper);
		}
	}
}

static void open_units(struct lookup *l, unsigned damaged)
{
	const struct dw_style style = {.version = 5, .aranges = true};
	struct ew *f = ew_new(64, false, ET_EXEC, EM_X86_64);
	struct ew_section *text = ew_text(f, ".text", BASE, (size_t)UNITS * UNIT_CODE);
	struct dw *d = dw_new(f, &style);

	for (unsigned i = 0; i < UNITS; i++)
		write_unit(d, text, i, i == damaged);
	lookup_open(l, f, d);
	assert_int_equal(sm_dwarf_units(l->dwarf), UNITS);
}

static void assert_same_map(const struct code_map *a, const struct code_map *b)
{
	assert_true(a->base == b->base);
	assert_int_equal(a->nsegments, b->nsegments);
	assert_int_equal(a->nscopes, b->nscopes);
	assert_int_equal(a->strings_len, b->strings_len);
	assert_memory_equal(a->segments, b->segments, a->nsegments * sizeof(*a->segments));
	assert_memory_equal(a->scopes, b->scopes, a->nscopes * sizeof(*a->scopes));
	assert_memory_equal(a->strings, b->strings, a->strings_len);
}

struct ticks {
	uint64_t last;
	unsigned n;
};

static void on_tick(void *ctx, const char *what, uint64_t done, uint64_t total)
{
	struct ticks *t = ctx;

	assert_non_null(what);
	assert_int_equal(total, UNITS);
	assert_true(done >= t->last && done <= total);
	t->last = done;
	t->n++;
}

static void test_threads(void **state)
{
	static const unsigned threads[] = {0, 1, 2, 3, 16, 1000};
	struct lookup l;

	(void)state;
	open_units(&l, UNITS);
	for (size_t i = 0; i < SM_ARRAY_SIZE(threads); i++) {
		struct ticks ticks = {0};
		struct sm_progress progress = {.tick = on_tick, .ctx = &ticks};
		struct code_builder *b;
		struct code_map map;

		assert_null(sm_code_map_read(l.dwarf, NULL, sm_dwarf_units(l.dwarf), threads[i],
			NULL, &progress, &b, &map));
		assert_same_map(&map, &l.map);
		assert_int_equal(ticks.last, UNITS);
		sm_code_builder_free(b);
	}
	lookup_close(&l);
}

static void test_damaged_unit(void **state)
{
	struct code_builder *b;
	struct code_map map;
	struct lookup l;
	struct said said;

	(void)state;
	open_units(&l, 7);
	said_listen(&said);
	assert_null(sm_code_map_read(
		l.dwarf, NULL, sm_dwarf_units(l.dwarf), 2, &said.log, NULL, &b, &map));
	said_was(&said, SM_WARN, "1 of 150 units of the debug information make no sense");
	lookup_expect(&l, ".text", 6 * UNIT_CODE + 0x10, "h6 dir/u6.c:5 < f6 dir/u6.c:17");
	lookup_expect(&l, ".text", 8 * UNIT_CODE, "f8 dir/u8.c:18");
	sm_code_builder_free(b);
	sm_buf_release(&said.text);
	lookup_close(&l);
}

static void test_file(void **state)
{
	const struct scratch *s = *state;
	struct index *index;
	struct lookup l;
	char chain[256];

	open_units(&l, UNITS);
	assert_null(sm_index_write(made_dir(s), ID, &l.map, UINT64_MAX, NULL));
	index = made_open(s, ID);
	assert_non_null(index);
	for (uint64_t at = 0; at < UNITS * UNIT_CODE; at += 8) {
		struct lookup from_file = l;

		snprintf(chain, sizeof(chain), "%s", lookup_chain(&l, BASE + at));
		assert_int_not_equal(chain[0], '\0');
		from_file.map = *sm_index_map(index);
		assert_string_equal(lookup_chain(&from_file, BASE + at), chain);
	}
	assert_false(sm_index_damaged(index));
	sm_index_close(index);
	lookup_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_damaged_unit),
		cmocka_unit_test_setup_teardown(test_file, scratch_setup, scratch_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
