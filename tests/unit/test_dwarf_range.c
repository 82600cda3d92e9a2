/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of ranges of both kinds, and which unit has an address. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <dwarf.h>

#include "bare_elf.h"
#include "lib/symbol/dwarf_die.h"

struct fixture {
	struct bare_elf elf;
	size_t second; /* where the second unit begins */
	struct object *obj;
	struct dwarf *d;
	struct dwarf_scopes s;
};

/* Two units, of DWARF 4 and 5, whose low_pc is BARE_TEXT; the second has a base in .debug_addr. */
static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct sm_buf *b;
	size_t unit;

	assert_non_null(f);
	PUT(&f->elf.abbrev, 1, DW_TAG_compile_unit, 0, DW_AT_low_pc, DW_FORM_addr, 0, 0, 0);
	b = &f->elf.info;
	unit = unit_begin(b, 0);
	PUT(b, 1);
	put(b, 8, BARE_TEXT);
	unit_end(b, unit);
	unit = f->second = b->len;
	put(b, 4, 0);
	put(b, 2, 5);
	PUT(b, DW_UT_compile, 8);
	put(b, 4, 0);
	PUT(b, 1);
	put(b, 8, BARE_TEXT);
	unit_end(b, unit);
	b = &f->elf.addr;
	put(b, 8, 0);
	put(b, 8, BARE_TEXT + 0x1000);
	put(b, 8, BARE_TEXT + 0x1010);
	put(b, 8, 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	sm_dwarf_scopes_release(&f->s);
	sm_dwarf_free(f->d);
	sm_object_free(f->obj);
	bare_elf_release(&f->elf);
	free(f);
	return 0;
}

static void look(struct fixture *f)
{
	f->obj = bare_elf_object(&f->elf);
	assert_null(sm_dwarf_open(f->obj, NULL, NULL, &f->d));
	for (uint32_t i = 0; i < sm_dwarf_units(f->d); i++)
		sm_error_free(sm_dwarf_unit_load(f->d, &f->d->units[i]));
}

/* The ranges of the list at `offset`, relative to BARE_TEXT, "!" where it is bad. */
static void expect(
	struct fixture *f, uint32_t unit, uint64_t offset, size_t budget, const char *expected)
{
	struct sm_buf text = {0};
	struct sm_error *err;

	f->s.nranges = 0;
	err = sm_dwarf_ranges_read(f->d, &f->d->units[unit], offset, &budget, &f->s);
	sm_buf_adds(&text, "");
	for (size_t i = 0; i < f->s.nranges; i++)
		sm_buf_addf(&text, "%llx-%llx ",
			(unsigned long long)(f->s.ranges[i].start - BARE_TEXT),
			(unsigned long long)(f->s.ranges[i].end - BARE_TEXT));
	if (err) {
		assert_int_equal(err->code, SM_E_FORMAT);
		sm_buf_adds(&text, "!");
		sm_error_free(err);
	}
	assert_string_equal(text.data, expected);
	sm_buf_release(&text);
}

static void put_pair(struct sm_buf *b, uint64_t start, uint64_t end)
{
	put(b, 8, start);
	put(b, 8, end);
}

static void test_pairs(void **state)
{
	struct fixture *f = *state;
	struct sm_buf *b = &f->elf.ranges;
	size_t dropped, open;

	put_pair(b, 0x10, 0x20); /* from the unit's low_pc */
	put_pair(b, 0x30, 0x30);
	put_pair(b, 0x50, 0x40);
	put_pair(b, UINT64_MAX, BARE_TEXT + 0x100);
	put_pair(b, 0, 8);
	put_pair(b, 1, 1);
	put_pair(b, UINT64_MAX, BARE_TEXT + 0x200);
	put_pair(b, 8, 16);
	put_pair(b, 0, 0);
	dropped = b->len;
	put_pair(b, UINT64_MAX, 0); /* a base of dropped code, as GNU ld leaves it */
	put_pair(b, BARE_TEXT, BARE_TEXT + 8);
	put_pair(b, UINT64_MAX, UINT64_MAX - 1); /* and as lld does */
	put_pair(b, 2, 0x10);
	put_pair(b, UINT64_MAX - 1, UINT64_MAX - 1);
	put_pair(b, UINT64_MAX, BARE_TEXT);
	put_pair(b, 1, 2);
	put_pair(b, 0, 0);
	open = b->len;
	put_pair(b, UINT64_MAX, BARE_TEXT);
	put_pair(b, 3, 4);
	put(b, 8, 5);
	look(f);
	expect(f, 0, 0, 99, "10-20 100-108 208-210 ");
	expect(f, 0, dropped, 99, "1-2 ");
	expect(f, 0, open, 99, "3-4 !");
	expect(f, 0, b->len, 99, "!");
	expect(f, 0, UINT64_MAX, 99, "!");
	/* Entries, not ranges: the end isn't counted. */
	expect(f, 0, 0, 8, "10-20 100-108 208-210 ");
	expect(f, 0, 0, 7, "10-20 100-108 208-210 !");
	expect(f, 0, 0, 0, "10-20 !");
}

static void test_lists(void **state)
{
	struct fixture *f = *state;
	struct sm_buf *b = &f->elf.rnglists;
	size_t dropped, index, bad;

	PUT(b, DW_RLE_offset_pair, 0x10, 0x20, DW_RLE_base_address);
	put(b, 8, BARE_TEXT + 0x100);
	PUT(b, DW_RLE_offset_pair, 1, 9, DW_RLE_offset_pair, 3, 3, DW_RLE_start_end);
	put_pair(b, BARE_TEXT + 0x200, BARE_TEXT + 0x210);
	PUT(b, DW_RLE_start_length);
	put(b, 8, BARE_TEXT + 0x300);
	put_uleb(b, 0x180);
	PUT(b, DW_RLE_base_addressx, 1, DW_RLE_offset_pair, 2, 3, DW_RLE_startx_endx, 1, 2,
		DW_RLE_startx_length, 2, 5, DW_RLE_end_of_list);
	dropped = b->len;
	PUT(b, DW_RLE_base_address);
	put(b, 8, 0);
	PUT(b, DW_RLE_offset_pair);
	put_uleb(b, BARE_TEXT);
	put_uleb(b, BARE_TEXT + 1);
	PUT(b, DW_RLE_base_address);
	put(b, 8, UINT64_MAX);
	PUT(b, DW_RLE_offset_pair);
	put_uleb(b, BARE_TEXT + 1);
	put_uleb(b, BARE_TEXT + 2);
	PUT(b, DW_RLE_base_addressx, 3, DW_RLE_offset_pair);
	put_uleb(b, BARE_TEXT);
	put_uleb(b, BARE_TEXT + 1);
	PUT(b, DW_RLE_startx_length, 3, 9, DW_RLE_start_length);
	put(b, 8, BARE_TEXT);
	put_uleb(b, UINT64_MAX);
	PUT(b, DW_RLE_end_of_list);
	index = b->len;
	PUT(b, DW_RLE_startx_length, 4, 9, DW_RLE_end_of_list);
	bad = b->len;
	PUT(b, 8, DW_RLE_end_of_list, DW_RLE_offset_pair, 1, 2, DW_RLE_offset_pair, 1);
	look(f);
	f->d->units[1].addr_base = 0;
	expect(f, 1, 0, 99, "10-20 101-109 200-210 300-480 1002-1003 1000-1010 1010-1015 ");
	expect(f, 1, dropped, 99, "");
	expect(f, 1, index, 99, "!");
	expect(f, 1, bad, 99, "!");
	expect(f, 1, bad + 2, 99, "1-2 !");
	expect(f, 1, b->len, 99, "!");
	expect(f, 1, 0, 3, "10-20 101-109 !");
}

/* ---- units of addresses ---- */

static void put_set(struct sm_buf *b, uint64_t unit, uint64_t start, uint64_t len)
{
	put(b, 4, 28 + 16);
	put(b, 2, 2);
	put(b, 4, unit);
	PUT(b, 8, 0);
	put(b, 4, 0);
	put_pair(b, start, len);
	put_pair(b, 0, 0);
}

static void expect_units(struct fixture *f, const char *expected)
{
	/* Each hexadecimal digit of the result is the unit at that 16th of a page. */
	struct sm_buf text = {0};
	uint64_t addrs[16];
	uint32_t units[16];

	for (unsigned i = 0; i < 16; i++)
		addrs[i] = BARE_TEXT + 0x100 * i;
	assert_null(sm_dwarf_find_units(f->d, addrs, 16, units));
	for (unsigned i = 0; i < 16; i++) {
		uint32_t one;

		if (units[i] == DWARF_NONE)
			sm_buf_addc(&text, '.');
		else
			sm_buf_addf(&text, "%x", units[i]);
		assert_null(sm_dwarf_find_units(f->d, &addrs[i], 1, &one));
		assert_int_equal(one, units[i]);
	}
	assert_string_equal(text.data, expected);
	sm_buf_release(&text);
}

/* What nests, what overlaps, and what names units that aren't there. */
static void test_aranges(void **state)
{
	struct fixture *f = *state;
	struct sm_buf *b = &f->elf.aranges;

	put_set(b, f->second, BARE_TEXT + 0x300, 0x100);
	put_set(b, 0, BARE_TEXT + 0x100, 0x800);
	put_set(b, f->second, BARE_TEXT + 0x500, 0x600);
	put_set(b, 3, BARE_TEXT + 0xd00, 0x100);
	put_set(b, UINT32_MAX - 20, BARE_TEXT + 0xd00, 0x100);
	put_set(b, 0, 0, BARE_TEXT + 0x1000);
	put_set(b, 0, BARE_TEXT + 0xf00, UINT64_MAX);
	look(f);
	expect_units(f, ".0010"
			"111111"
			".....");
}

static void test_aranges_damaged(void **state)
{
	struct fixture *f = *state;
	struct sm_buf *b = &f->elf.aranges;

	put_set(b, 0, BARE_TEXT + 0x100, 0x100);
	b->data[4] = 9; /* version */
	put_set(b, 0, BARE_TEXT + 0x200, 0x100);
	put_set(b, 0, BARE_TEXT + 0x300, 0x100);
	b->len -= 20;
	look(f);
	expect_units(f, "..0.............");
}

static void put_wide_unit(struct sm_buf *b, size_t abbrevs, uint64_t start, uint64_t len)
{
	size_t unit = unit_begin(b, abbrevs);

	PUT(b, 1);
	put(b, 8, start);
	put(b, 4, len);
	unit_end(b, unit);
}

/* Units that .debug_aranges lacks say themselves what they have. */
static void test_own_ranges(void **state)
{
	struct fixture *f = *state;
	size_t abbrevs = f->elf.abbrev.len;
	size_t listed = f->elf.info.len;

	PUT(&f->elf.abbrev, 1, DW_TAG_compile_unit, 0, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc,
		DW_FORM_data4, 0, 0, 0);
	put_wide_unit(&f->elf.info, abbrevs, BARE_TEXT + 0x100, 0x700);
	put_wide_unit(&f->elf.info, abbrevs, BARE_TEXT + 0x400, 0x100);
	put_wide_unit(&f->elf.info, abbrevs, BARE_TEXT + 0x600, 0x400);
	put_wide_unit(&f->elf.info, abbrevs, BARE_TEXT + 0x800, 0);
	put_wide_unit(&f->elf.info, abbrevs, BARE_TEXT + 0xd00, UINT32_MAX);
	put_set(&f->elf.aranges, listed, BARE_TEXT + 0x100, 0x100);
	look(f);
	expect_units(f, ".2..3.4444"
			"...666");
}

/* ---- units whose headers lie ---- */

static void expect_offsets(struct fixture *f, const uint64_t *offsets, size_t n)
{
	assert_int_equal(sm_dwarf_units(f->d), n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(f->d->units[i].offset, offsets[i]);
}

static void add_units(struct fixture *f, uint64_t offsets[5], bool sets)
{
	f->elf.info.len = 0;
	for (unsigned i = 0; i < 5; i++) {
		offsets[i] = unit_begin(&f->elf.info, 0);
		PUT(&f->elf.info, 1);
		put(&f->elf.info, 8, BARE_TEXT + 0x100 * i);
		unit_end(&f->elf.info, offsets[i]);
		if (sets)
			put_set(&f->elf.aranges, offsets[i], BARE_TEXT + 0x100 * i, 0x100);
	}
}

static void test_bad_version(void **state)
{
	struct fixture *f = *state;
	uint64_t at[5];

	add_units(f, at, false);
	f->elf.info.data[at[1] + 4] = 6;
	look(f);
	expect_offsets(f, (uint64_t[]){at[0], at[2], at[3], at[4]}, 4);
}

static void test_long_unit(void **state)
{
	struct fixture *f = *state;
	uint64_t at[5];

	add_units(f, at, true);
	/* Beyond the section, and into the middle of another */
	put(&f->elf.info, 4, 0);
	f->elf.info.len -= 4;
	f->elf.info.data[at[1] + 1] = 0x7f;
	f->elf.info.data[at[3]] = (char)(f->elf.info.data[at[3]] + 7);
	look(f);
	expect_offsets(f, (uint64_t[]){at[0], at[2], at[3], at[4]}, 4);
	assert_int_equal(f->d->units[2].end, at[4]);
	expect_units(f, "0.123...........");
}

static void test_short_unit(void **state)
{
	struct fixture *f = *state;
	uint64_t at[5];

	add_units(f, at, true);
	f->elf.info.data[at[1]] = 9;
	look(f);
	expect_offsets(f, (uint64_t[]){at[0], at[1], at[2], at[3], at[4]}, 5);
	expect_units(f, "01234...........");
}

/* Without .debug_aranges nothing says where the next one is. */
static void test_long_unit_alone(void **state)
{
	struct fixture *f = *state;
	uint64_t at[5];

	add_units(f, at, false);
	f->elf.info.data[at[2] + 2] = 0x7f;
	look(f);
	expect_offsets(f, at, 2);
}

static void test_padding(void **state)
{
	struct fixture *f = *state;
	size_t unit;

	put(&f->elf.info, 8, 0);
	unit = unit_begin(&f->elf.info, 0);
	PUT(&f->elf.info, 1);
	put(&f->elf.info, 8, BARE_TEXT);
	unit_end(&f->elf.info, unit);
	put(&f->elf.info, 2, 0);
	look(f);
	assert_int_equal(sm_dwarf_units(f->d), 3);
}

/* ---- the top of the source tree ---- */

static void put_dirs(struct fixture *f, size_t abbrevs, const char *name, const char *dir)
{
	size_t unit = unit_begin(&f->elf.info, abbrevs);

	PUT(&f->elf.info, 1);
	put_string(&f->elf.info, name);
	put_string(&f->elf.info, dir);
	unit_end(&f->elf.info, unit);
}

static size_t put_dir_abbrevs(struct fixture *f)
{
	size_t abbrevs = f->elf.abbrev.len;

	PUT(&f->elf.abbrev, 1, DW_TAG_compile_unit, 0, DW_AT_name, DW_FORM_string, DW_AT_comp_dir,
		DW_FORM_string, 0, 0, 0);
	return abbrevs;
}

static void test_root(void **state)
{
	struct fixture *f = *state;
	size_t abbrevs = put_dir_abbrevs(f);

	put_dirs(f, abbrevs, "mm/slub.c", "/src/linux/build");
	put_dirs(f, abbrevs, "/src/linux/arch/x86/entry.S", "/src/linux/build//");
	put_dirs(f, abbrevs, "arch/x86/a.c", "build");
	look(f);
	assert_string_equal(sm_dwarf_root(f->d), "/src/linux/");
}

static void test_root_names(void **state)
{
	struct fixture *f = *state;
	size_t abbrevs = put_dir_abbrevs(f);

	put_dirs(f, abbrevs, "a.c", "/src/linux-6");
	put_dirs(f, abbrevs, "a.c", "/src/linux");
	look(f);
	assert_string_equal(sm_dwarf_root(f->d), "/src/");
}

static void test_root_none(void **state)
{
	struct fixture *f = *state;
	size_t abbrevs = put_dir_abbrevs(f);

	put_dirs(f, abbrevs, "a.c", "/src/linux");
	put_dirs(f, abbrevs, "a.c", "/");
	look(f);
	assert_string_equal(sm_dwarf_root(f->d), "");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_pairs),
		TEST(test_lists),
		TEST(test_aranges),
		TEST(test_aranges_damaged),
		TEST(test_own_ranges),
		TEST(test_bad_version),
		TEST(test_long_unit),
		TEST(test_short_unit),
		TEST(test_long_unit_alone),
		TEST(test_padding),
		TEST(test_root),
		TEST(test_root_names),
		TEST(test_root_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
