/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of line tables: how they are numbered, written down, and joined. */
#include "line_maker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void open_table(struct line_reader *r, struct line_maker *m)
{
	line_end(m);
	line_reader_init(r, m);
}

static void close_table(struct line_reader *r, struct line_maker *m)
{
	line_reader_release(r);
	line_maker_release(m);
}

static void test_numbers(void **state)
{
	struct line_maker m;
	struct line_reader r;

	(void)state;
	for (unsigned version = 2; version <= 5; version++) {
		line_maker_init(&m, version);
		line_begin(&m);
		open_table(&r, &m);
		/* 0 is a file from DWARF 5 on. */
		assert_string_equal(line_file(&r, 0), version < 5 ? "?" : "/src/a.c");
		assert_string_equal(line_file(&r, 1), "/src/a.c");
		assert_string_equal(line_file(&r, 2), "/src/inc/b.h");
		assert_string_equal(line_file(&r, 3), "?");
		assert_string_equal(line_file(&r, UINT32_MAX), "?");
		assert_string_equal(line_file(&r, DWARF_NONE - 1), "?");
		close_table(&r, &m);
	}
}

/* The row of a program that sets no file: number 1, which in DWARF 5 is the second. */
static void test_first_file(void **state)
{
	struct line_maker m;
	struct line_reader r;

	(void)state;
	line_maker_init(&m, 5);
	line_header(&m);
	line_u8(&m, 1);
	line_uleb(&m, 1);
	line_uleb(&m, 8);
	line_uleb(&m, 1);
	line_str(&m, "/src");
	line_u8(&m, 1);
	line_uleb(&m, 1);
	line_uleb(&m, 8);
	line_uleb(&m, 2);
	line_str(&m, "first.c");
	line_str(&m, "second.h");
	line_program(&m);
	line_set_address(&m, 0x1000);
	line_copy(&m);
	line_advance_pc(&m, 4);
	line_end_sequence(&m);
	open_table(&r, &m);
	assert_string_equal(line_rows(&r, NULL, 0), "1000 1:1, 1004 -");
	assert_string_equal(line_file(&r, 1), "/src/second.h");
	close_table(&r, &m);
}

static void test_defined_by_the_program(void **state)
{
	struct line_maker m;
	struct line_reader r;

	(void)state;
	for (unsigned version = 4; version <= 5; version++) {
		line_maker_init(&m, version);
		line_begin(&m);
		line_extended(&m, 3, 7);
		line_str(&m, "d.h");
		line_u8(&m, 1);
		line_u8(&m, 0);
		line_u8(&m, 0);
		line_extended(&m, 3, 3); /* its end is missing */
		line_str(&m, "e.");
		open_table(&r, &m);
		/* DWARF 5 has none. */
		assert_string_equal(line_file(&r, 3), version == 4 ? "/src/inc/d.h" : "?");
		assert_string_equal(line_file(&r, 4), "?");
		close_table(&r, &m);
	}
}

/* ---- what entries of DWARF 5 are written as ---- */

enum {
	STRING = 0x08,
	BLOCK = 0x09,
	DATA1 = 0x0b,
	DATA2 = 0x05,
	DATA4 = 0x06,
	DATA8 = 0x07,
	UDATA = 0x0f,
	STRP = 0x0e,
	DATA16 = 0x1e,
	LINE_STRP = 0x1f,
	STRX1 = 0x25,
	BLOCK1 = 0x0a
};

static void put_number(struct line_maker *m, unsigned form, uint64_t v)
{
	switch (form) {
	case DATA1:
		line_u8(m, (unsigned)v);
		break;
	case DATA2:
		line_u(m, v, 2);
		break;
	case DATA4:
		line_u(m, v, 4);
		break;
	case DATA8:
		line_u(m, v, 8);
		break;
	default:
		line_uleb(m, v);
		break;
	}
}

/* In the string section: "x" at 0, then "/top/lib", then "name.h". */
#define STRINGS "x\0/top/lib\0name.h"
#define AT_DIR 2
#define AT_NAME 11

static void put_string(struct line_maker *m, unsigned form, const char *s, unsigned offset)
{
	if (form == STRING)
		line_str(m, s);
	else if (form == STRX1)
		line_u8(m, offset == AT_DIR ? 0 : 1);
	else
		line_u(m, offset, m->offset_size);
}

static void test_forms(void **state)
{
	static const unsigned strings[] = {STRING, STRP, LINE_STRP, STRX1};
	static const unsigned numbers[] = {DATA1, DATA2, DATA4, DATA8, UDATA};
	uint8_t *offsets = malloc(16);

	(void)state;
	assert_non_null(offsets);
	for (unsigned i = 0; i < 2 * 4 * 5; i++) {
		unsigned string = strings[i / 2 % 4], number = numbers[i / 8];
		struct line_maker m;
		struct line_reader r;

		line_maker_init(&m, 5);
		m.offset_size = i % 2 ? 8 : 4; /* the unit's is 4 */
		m.swap = i % 2;
		line_header(&m);
		line_u8(&m, 2);
		line_uleb(&m, 0x2005); /* a vendor's */
		line_uleb(&m, BLOCK);
		line_uleb(&m, 1);
		line_uleb(&m, string);
		line_uleb(&m, 1);
		line_uleb(&m, 3);
		line_u(&m, 0, 3);
		put_string(&m, string, "/top/lib", AT_DIR);
		line_u8(&m, 5);
		line_uleb(&m, 5); /* MD5 */
		line_uleb(&m, DATA16);
		line_uleb(&m, 2);
		line_uleb(&m, number);
		line_uleb(&m, 3); /* time, size */
		line_uleb(&m, UDATA);
		line_uleb(&m, 1);
		line_uleb(&m, string);
		line_uleb(&m, 0xffffffff);
		line_uleb(&m, BLOCK1);
		line_uleb(&m, 2);
		for (unsigned k = 0; k < 2; k++) {
			line_u(&m, 0, 8);
			line_u(&m, 0, 8);
			put_number(&m, number, k);
			line_uleb(&m, 70000);
			put_string(&m, string, "name.h", AT_NAME);
			line_u8(&m, 2);
			line_u(&m, 0, 2);
		}
		line_program(&m);
		open_table(&r, &m);
		r.dwarf.main.line_str = r.dwarf.main.str =
			(struct dwarf_section){(const uint8_t *)STRINGS, sizeof(STRINGS)};
		/* As wide as the table. */
		m.b.len = 0;
		line_u(&m, AT_DIR, m.offset_size);
		line_u(&m, AT_NAME, m.offset_size);
		memcpy(offsets, m.b.data, 2 * m.offset_size);
		r.dwarf.main.str_offsets = (struct dwarf_section){offsets, 2 * m.offset_size};
		assert_string_equal(line_file(&r, 0), "/top/lib/name.h");
		/* Directory 1 isn't there. */
		assert_string_equal(line_file(&r, 1), "/src/name.h");
		assert_string_equal(line_file(&r, 2), "?");
		close_table(&r, &m);
	}
	free(offsets);
}

static void test_bad_entries(void **state)
{
	struct line_maker m;
	struct line_reader r;

	(void)state;
	/* Entries of no bytes: they would be endless. */
	line_maker_init(&m, 5);
	line_header(&m);
	line_u8(&m, 0);
	line_uleb(&m, UINT64_MAX);
	line_program(&m);
	open_table(&r, &m);
	assert_string_equal(
		line_rows(&r, NULL, 0), "; its tables of files reach beyond its header");
	close_table(&r, &m);
	/* Without a format there may be a few, and they have no name. */
	line_maker_init(&m, 5);
	line_header(&m);
	line_u8(&m, 0);
	line_uleb(&m, 0);
	line_u8(&m, 0);
	line_uleb(&m, 2);
	line_u(&m, 0, 2);
	line_program(&m);
	open_table(&r, &m);
	assert_string_equal(line_rows(&r, NULL, 0), "");
	assert_string_equal(line_file(&r, 1), "?");
	close_table(&r, &m);
	/* A form that nobody knows the size of; one of no size; a string beyond its section. */
	for (unsigned i = 0; i < 4; i++) {
		static const unsigned forms[] = {0x7f, 0x1ffff, 0x19, LINE_STRP};

		line_maker_init(&m, 5);
		line_header(&m);
		line_u8(&m, 0);
		line_uleb(&m, 0);
		line_u8(&m, 1);
		line_uleb(&m, 1);
		line_uleb(&m, forms[i]);
		line_uleb(&m, 1);
		line_u(&m, 0x1000, 4);
		line_program(&m);
		open_table(&r, &m);
		r.dwarf.main.line_str =
			(struct dwarf_section){(const uint8_t *)STRINGS, sizeof(STRINGS)};
		assert_string_equal(line_rows(&r, NULL, 0),
			i < 2 ? "; its tables of files reach beyond its header" : "");
		assert_string_equal(line_file(&r, 0), "?");
		close_table(&r, &m);
	}
}

/* ---- joining ---- */

/* The path of file 1 in directory 1 of a table before DWARF 5. */
static void expect_joined(const char *comp_dir, const char *top, const char *build, const char *dir,
	const char *name, const char *expected)
{
	char top_copy[64], build_copy[64];

	for (unsigned version = 4; version <= 5; version++) {
		struct line_maker m;
		struct line_reader r;

		line_maker_init(&m, version);
		line_header(&m);
		if (version == 4) {
			line_str(&m, dir);
			line_str(&m, "");
			line_str(&m, name);
			line_uleb(&m, 1);
			line_uleb(&m, 0);
			line_uleb(&m, 0);
			line_u8(&m, 0);
		} else {
			line_u8(&m, 1);
			line_uleb(&m, 1);
			line_uleb(&m, STRING);
			line_uleb(&m, 2);
			line_str(&m, comp_dir ? comp_dir : "");
			line_str(&m, dir);
			line_u8(&m, 2);
			line_uleb(&m, 1);
			line_uleb(&m, STRING);
			line_uleb(&m, 2);
			line_uleb(&m, UDATA);
			line_uleb(&m, 2);
			line_str(&m, "other");
			line_uleb(&m, 0);
			line_str(&m, name);
			line_uleb(&m, 1);
		}
		line_program(&m);
		open_table(&r, &m);
		r.unit.comp_dir = comp_dir;
		r.priv.top = strcpy(top_copy, top);
		r.priv.build[*build == '/'] = strcpy(build_copy, build);
		assert_string_equal(line_file(&r, 1), expected);
		close_table(&r, &m);
	}
}

static void test_joining(void **state)
{
	(void)state;
	expect_joined("/src", "", "", "mm", "slub.c", "/src/mm/slub.c");
	expect_joined("/src", "/src/", "/src/", "mm", "slub.c", "mm/slub.c");
	expect_joined("/src", "/src/", "/src/", "/src/mm", "slub.c", "mm/slub.c");
	expect_joined("/src", "/src/", "/src/", "/usr/include", "x.h", "/usr/include/x.h");
	expect_joined("/src", "/src/", "/src/", "mm", "/src/kernel/a.c", "kernel/a.c");
	expect_joined("/src", "/src/", "/src/", "mm", "/srcs/a.c", "/srcs/a.c");
	/* Built elsewhere: paths from there, and such that aren't. */
	expect_joined("/src/out", "/src/", "/src/out/", "mm", "slub.c", "mm/slub.c");
	expect_joined("/src/out", "/src/", "/src/out/", "../mm", "slub.c", "mm/slub.c");
	expect_joined("/src/out", "/src/", "/src/out/", "/src/mm", "slub.c", "mm/slub.c");
	expect_joined("/src/a", "/src/", "/src/", "mm", "slub.c", "a/mm/slub.c");
	/* Relative ones, or none. */
	expect_joined(NULL, "", "", "mm", "slub.c", "mm/slub.c");
	expect_joined(".", "", "", "mm", "slub.c", "mm/slub.c");
	expect_joined("out", "", "", "mm", "slub.c", "out/mm/slub.c");
	expect_joined("out", "", "", "../mm", "slub.c", "mm/slub.c");
	expect_joined("deb/out", "", "deb/out/", "mm", "slub.c", "mm/slub.c");
	expect_joined("deb/out", "", "deb/out/", "..", "slub.c", "deb/slub.c");
	expect_joined("deb/out", "", "deb/out/", "/deb/out/mm", "slub.c", "/deb/out/mm/slub.c");
}

static void test_normalising(void **state)
{
	(void)state;
	expect_joined("/src", "", "", "mm/./", "./slub.c", "/src/mm/slub.c");
	expect_joined("/src//", "", "", "mm//", "slub.c", "/src/mm/slub.c");
	expect_joined("/src", "", "", "mm/../kernel/x/..", "a.c", "/src/kernel/a.c");
	expect_joined("/src", "", "", "../../../..", "a.c", "/a.c");
	expect_joined("/src", "/src/", "", "../src/mm", "a.c", "mm/a.c");
	expect_joined(NULL, "", "", "../../x", "a.c", "../../x/a.c");
	expect_joined(NULL, "", "", "x/../../y", "../a.c", "../a.c");
	expect_joined(NULL, "", "", "./..", "../x/../a.c", "../../a.c");
	expect_joined("/src", "", "", "..a/...", ".b.c", "/src/..a/.../.b.c");
	/* A file isn't its own directory. */
	expect_joined("/src", "/src/mm/", "", "mm", ".", "/src/mm");
}

/* Directory 0 of DWARF 5 is the compilation's: taken when the unit says nothing, or less. */
static void test_compilation_directory(void **state)
{
	static const struct {
		const char *unit, *table, *expected;
	} cases[] = {
		{NULL, "/tab", "/tab/a.c"},
		{"/unit", "/tab", "/tab/a.c"},
		{"/unit", "tab", "/unit/tab/a.c"},
		{"same", "same", "same/a.c"},
		{"unit", "/tab", "/tab/a.c"},
	};

	(void)state;
	for (size_t i = 0; i < SM_ARRAY_SIZE(cases); i++) {
		struct line_maker m;
		struct line_reader r;

		line_maker_init(&m, 5);
		line_header(&m);
		line_u8(&m, 1);
		line_uleb(&m, 1);
		line_uleb(&m, STRING);
		line_uleb(&m, 1);
		line_str(&m, cases[i].table);
		line_u8(&m, 1);
		line_uleb(&m, 1);
		line_uleb(&m, STRING);
		line_uleb(&m, 1);
		line_str(&m, "a.c");
		line_program(&m);
		open_table(&r, &m);
		r.unit.comp_dir = cases[i].unit;
		assert_string_equal(line_file(&r, 0), cases[i].expected);
		close_table(&r, &m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_first_file),
		cmocka_unit_test(test_defined_by_the_program),
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_bad_entries),
		cmocka_unit_test(test_joining),
		cmocka_unit_test(test_normalising),
		cmocka_unit_test(test_compilation_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
