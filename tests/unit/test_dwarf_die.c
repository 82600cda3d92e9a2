/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Abbreviations, lists of ranges and walks through DIEs, of bytes that no compiler writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <dwarf.h>

#include "bare_elf.h"
#include "lib/symbol/dwarf_die.h"

/* The abbreviations that most tests use. */
enum { UNIT = 1, FUNCTION, INLINED, BLOCK, STRUCT, MEMBER, OPEN_STRUCT, ABSTRACT };

static void put_abbrevs(struct sm_buf *b)
{
	PUT(b, UNIT, DW_TAG_compile_unit, 1, DW_AT_language, DW_FORM_data1, 0, 0);
	PUT(b, FUNCTION, DW_TAG_subprogram, 1, DW_AT_name, DW_FORM_string, DW_AT_low_pc,
		DW_FORM_addr, DW_AT_high_pc, DW_FORM_udata, 0, 0);
	PUT(b, INLINED, DW_TAG_inlined_subroutine, 1, DW_AT_abstract_origin, DW_FORM_ref4,
		DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data2, DW_AT_call_file,
		DW_FORM_data1, DW_AT_call_line, DW_FORM_data2, 0, 0);
	PUT(b, BLOCK, DW_TAG_lexical_block, 1, 0, 0);
	PUT(b, STRUCT, DW_TAG_structure_type, 1, DW_AT_byte_size, DW_FORM_data1, DW_AT_sibling,
		DW_FORM_ref4, 0, 0);
	PUT(b, MEMBER, DW_TAG_member, 0, DW_AT_data_member_location, DW_FORM_exprloc, 0, 0);
	PUT(b, OPEN_STRUCT, DW_TAG_structure_type, 1, 0, 0);
	PUT(b, ABSTRACT, DW_TAG_subprogram, 0, DW_AT_name, DW_FORM_string, 0, 0);
	PUT(b, 0);
}

static void put_function(struct sm_buf *b, const char *name, uint64_t start, uint64_t size)
{
	put_uleb(b, FUNCTION);
	put_string(b, name);
	put(b, 8, start);
	put_uleb(b, size);
}

static void put_inlined(
	struct sm_buf *b, size_t origin, uint64_t start, unsigned size, unsigned line)
{
	put_uleb(b, INLINED);
	put(b, 4, origin);
	put(b, 8, start);
	put(b, 2, size);
	put(b, 1, 1);
	put(b, 2, line);
}

struct fixture {
	struct bare_elf elf;
	size_t unit; /* where the unit at hand begins */
	struct object *obj;
	struct dwarf *d;
	struct dwarf_scopes s;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	put_abbrevs(&f->elf.abbrev);
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

static void begin(struct fixture *f, unsigned language)
{
	f->unit = unit_begin(&f->elf.info, 0);
	put_uleb(&f->elf.info, UNIT);
	put(&f->elf.info, 1, language);
}

static void end(struct fixture *f)
{
	PUT(&f->elf.info, 0);
	unit_end(&f->elf.info, f->unit);
}

static void look(struct fixture *f)
{
	f->obj = bare_elf_object(&f->elf);
	assert_null(sm_dwarf_open(f->obj, NULL, NULL, &f->d));
	assert_non_null(f->d);
}

/* The functions and what is inlined, as "f(g(h) i)"; "!" after a damaged unit. */
static void add_scopes(struct sm_buf *text, const struct dwarf_scopes *s, uint32_t parent)
{
	bool first = true;

	for (uint32_t i = 0; i < s->n; i++) {
		if (s->scopes[i].parent != parent)
			continue;
		if (!first)
			sm_buf_addc(text, ' ');
		first = false;
		sm_buf_adds(text, s->scopes[i].name ? s->scopes[i].name : "?");
		for (uint32_t k = i + 1; k < s->n; k++) {
			if (s->scopes[k].parent != i)
				continue;
			sm_buf_addc(text, '(');
			add_scopes(text, s, i);
			sm_buf_addc(text, ')');
			break;
		}
	}
}

static void expect(
	struct fixture *f, uint32_t unit, const uint64_t *wanted, size_t n, const char *expected)
{
	struct sm_buf text = {0};
	struct sm_error *err;

	f->s.n = f->s.nranges = 0;
	err = sm_dwarf_scopes(f->d, unit, wanted, n, &f->s);
	sm_buf_adds(&text, "");
	add_scopes(&text, &f->s, DWARF_NONE);
	if (err) {
		assert_int_equal(err->code, SM_E_FORMAT);
		sm_buf_adds(&text, "!");
		sm_error_free(err);
	}
	assert_string_equal(text.data, expected);
	sm_buf_release(&text);
}
#define EXPECT(unit, expected) expect(f, unit, NULL, 0, expected)
#define EXPECT_AT(addr, expected) expect(f, 0, &(uint64_t){addr}, 1, expected)

/* ---- walks ---- */

static void test_wanted(void **state)
{
	struct fixture *f = *state;
	struct sm_buf *b = &f->elf.info;
	static const uint64_t two[] = {BARE_TEXT + 0x10, BARE_TEXT + 0x208};
	size_t helper;

	begin(f, DW_LANG_C11);
	helper = b->len - f->unit;
	put_uleb(b, ABSTRACT);
	put_string(b, "helper");
	put_function(b, "first", BARE_TEXT, 0x100);
	PUT(b, BLOCK);
	put_inlined(b, helper, BARE_TEXT + 0x10, 4, 77);
	PUT(b, 0, 0, 0);
	put_function(b, "second", BARE_TEXT + 0x100, 0x100);
	PUT(b, 0);
	put_function(b, "third", BARE_TEXT + 0x200, 0x100);
	PUT(b, 0);
	end(f);
	look(f);
	EXPECT(0, "first(helper) second third");
	EXPECT_AT(BARE_TEXT + 0xff, "first(helper)");
	assert_int_equal(f->s.scopes[1].call_file, 1);
	assert_int_equal(f->s.scopes[1].call_line, 77);
	assert_string_equal(sm_dwarf_name(f->d, f->s.scopes[1].origin), "helper");
	EXPECT_AT(BARE_TEXT + 0x100, "second");
	EXPECT_AT(BARE_TEXT + 0x300, "");
	expect(f, 0, two, 2, "first(helper) third");
	expect(f, 0, two, 0, "");
	assert_null(sm_dwarf_scopes(f->d, 7, NULL, 0, &f->s));
	assert_null(sm_dwarf_name(f->d, 0));
	assert_null(sm_dwarf_name(f->d, UINT64_MAX));
	assert_null(sm_dwarf_name(f->d, f->elf.info.len));
}

/* A function within one that doesn't hold the address, as GNU C has them. */
static void test_nested_function(void **state)
{
	struct fixture *f = *state;
	struct sm_buf *b = &f->elf.info;

	begin(f, DW_LANG_C11);
	put_function(b, "outer", BARE_TEXT, 0x100);
	PUT(b, BLOCK);
	put_function(b, "inner", BARE_TEXT + 0x400, 0x10);
	PUT(b, 0, 0, 0);
	end(f);
	look(f);
	EXPECT(0, "outer inner");
	EXPECT_AT(BARE_TEXT + 0x404, "inner");
	EXPECT_AT(BARE_TEXT, "outer");
}

/* Members of types hold functions in other languages than C. */
static void test_member_function(void **state)
{
	struct fixture *f = *state;
	struct sm_buf *b = &f->elf.info;

	for (unsigned i = 0; i < 2; i++) {
		begin(f, i ? DW_LANG_Rust : DW_LANG_C99);
		PUT(b, OPEN_STRUCT);
		put_function(b, "method", BARE_TEXT + 0x10 * i, 0x10);
		PUT(b, 0, 0);
		put_function(b, "last", BARE_TEXT + 0x100, 0x10);
		PUT(b, 0);
		end(f);
	}
	look(f);
	EXPECT(0, "last");
	EXPECT(1, "method last");
	expect(f, 1, &(uint64_t){BARE_TEXT + 0x10}, 1, "method");
}

static void put_struct(struct fixture *f, uint64_t sibling)
{
	PUT(&f->elf.info, STRUCT, 8);
	put(&f->elf.info, 4, sibling);
	PUT(&f->elf.info, MEMBER, 2, 1, 1, MEMBER, 0, 0);
}

/* Siblings that lie are not followed backwards, nor out of the unit. */
static void test_sibling(void **state)
{
	struct fixture *f = *state;
	size_t here;

	begin(f, DW_LANG_C11);
	here = f->elf.info.len - f->unit;
	put_struct(f, here + 13); /* as it should be */
	assert_int_equal(f->elf.info.len - f->unit, here + 13);
	put_struct(f, here);
	put_struct(f, here + 26);
	put_struct(f, 0);
	put_struct(f, UINT32_MAX);
	put_function(&f->elf.info, "behind", BARE_TEXT, 0x10);
	PUT(&f->elf.info, 0);
	end(f);
	look(f);
	EXPECT(0, "behind");
	EXPECT_AT(BARE_TEXT, "behind");
}

static void test_sibling_far(void **state)
{
	struct fixture *f = *state;

	begin(f, DW_LANG_C11);
	/* Right to the unit's end: all that is left of it is skipped. */
	put_struct(f, f->elf.info.len - f->unit + 13 + 5);
	PUT(&f->elf.info, STRUCT, STRUCT, STRUCT, STRUCT);
	end(f);
	begin(f, DW_LANG_C11);
	put_function(&f->elf.info, "good", BARE_TEXT, 0x10);
	PUT(&f->elf.info, 0);
	end(f);
	look(f);
	EXPECT(0, "");
	EXPECT(1, "good");
}

static void test_depth(void **state)
{
	struct fixture *f = *state;

	begin(f, DW_LANG_C11);
	put_function(&f->elf.info, "shallow", BARE_TEXT, 0x10);
	for (unsigned i = 0; i < 1000; i++)
		PUT(&f->elf.info, BLOCK);
	put_inlined(&f->elf.info, 11, BARE_TEXT, 4, 1);
	for (unsigned i = 0; i < 1002; i++)
		PUT(&f->elf.info, 0);
	put_function(&f->elf.info, "deep", BARE_TEXT + 0x10, 0x10);
	for (unsigned i = 0; i < 100000; i++)
		PUT(&f->elf.info, BLOCK);
	end(f);
	look(f);
	EXPECT(0, "shallow(?) deep!");
	EXPECT_AT(BARE_TEXT, "shallow(?)");
	/* What is passed needs no stack. */
	EXPECT_AT(BARE_TEXT + 0x10, "deep!");
	EXPECT_AT(BARE_TEXT + 0x20, "!");
}

/* One damaged DIE costs what comes after it in its unit. */
static void test_damage(void **state)
{
	struct fixture *f = *state;
	uint32_t units[2];
	static const uint64_t addrs[] = {BARE_TEXT, BARE_TEXT + 0x10};

	begin(f, DW_LANG_C11);
	put_function(&f->elf.info, "before", BARE_TEXT, 0x10);
	PUT(&f->elf.info, 0, 99);
	end(f);
	begin(f, DW_LANG_C11);
	put_function(&f->elf.info, "cut", BARE_TEXT + 0x10, 0x10);
	f->elf.info.len -= 5;
	unit_end(&f->elf.info, f->unit);
	begin(f, DW_LANG_C11);
	put_function(&f->elf.info, "open", BARE_TEXT + 0x20, 0x10);
	unit_end(&f->elf.info, f->unit);
	look(f);
	assert_int_equal(sm_dwarf_units(f->d), 3);
	EXPECT(0, "before!");
	EXPECT_AT(BARE_TEXT, "before");
	EXPECT(1, "!");
	EXPECT(2, "open");
	/* Their roots say nothing of addresses. */
	assert_null(sm_dwarf_find_units(f->d, addrs, 2, units));
	assert_int_equal(units[0], DWARF_NONE);
	assert_int_equal(units[1], DWARF_NONE);
}

/* Code that the linker dropped, empty ranges, and those that wrap. */
static void test_dropped(void **state)
{
	static const uint64_t starts[] = {
		0, 1, UINT64_MAX, UINT64_MAX - 1, BARE_TEXT - 1, BARE_TEXT + BARE_TEXT_SIZE};
	struct fixture *f = *state;
	struct sm_buf *b = &f->elf.info;

	begin(f, DW_LANG_C11);
	for (size_t i = 0; i < SM_ARRAY_SIZE(starts); i++) {
		put_function(b, "dropped", starts[i], 0x10);
		put_inlined(b, 11, BARE_TEXT, 4, 1);
		PUT(b, 0, 0);
	}
	put_function(b, "empty", BARE_TEXT, 0);
	PUT(b, 0);
	put_function(b, "wraps", BARE_TEXT, UINT64_MAX);
	PUT(b, 0);
	put_function(b, "good", BARE_TEXT, 1);
	PUT(b, 0);
	end(f);
	look(f);
	EXPECT(0, "good");
}

/* Origins that go round, or nowhere. */
static void test_origins(void **state)
{
	struct fixture *f = *state;
	struct sm_buf *b = &f->elf.info;

	begin(f, DW_LANG_C11);
	put_function(b, "f", BARE_TEXT, 0x10);
	put_inlined(b, b->len - f->unit, BARE_TEXT, 4, 1); /* itself */
	PUT(b, 0);
	put_inlined(b, b->len - f->unit + 1, BARE_TEXT, 4, 1); /* the middle of a DIE */
	PUT(b, 0);
	put_inlined(b, 0, BARE_TEXT, 4, 1); /* the header */
	PUT(b, 0);
	put_inlined(b, UINT32_MAX, BARE_TEXT, 4, 1);
	PUT(b, 0, 0);
	end(f);
	look(f);
	EXPECT(0, "f(? ? ? ?)");
}

/* ---- abbreviations ---- */

static void test_sparse_codes(void **state)
{
	struct fixture *f = *state;
	struct sm_buf *a = &f->elf.abbrev, *b = &f->elf.info;

	a->len = 0;
	PUT(a, 1, DW_TAG_compile_unit, 1, 0, 0);
	PUT(a, 2, DW_TAG_member, 0, DW_AT_name, DW_FORM_data1, 0, 0);
	put_uleb(a, UINT64_MAX);
	PUT(a, DW_TAG_subprogram, 0, DW_AT_name, DW_FORM_string, DW_AT_low_pc, DW_FORM_addr,
		DW_AT_high_pc, DW_FORM_data1, 0, 0);
	PUT(a, 120, DW_TAG_member, 0, DW_AT_name, DW_FORM_data4, 0, 0);
	PUT(a, 3, DW_TAG_member, 0, DW_AT_name, DW_FORM_data2, 0, 0);
	PUT(a, 3, DW_TAG_member, 0, DW_AT_name, DW_FORM_data8, 0, 0); /* the first counts */
	PUT(a, 2, DW_TAG_member, 0, DW_AT_name, DW_FORM_data8, 0, 0);
	PUT(a, 0);
	f->unit = unit_begin(b, 0);
	PUT(b, 1, 2, 9, 3, 9, 9, 120, 9, 9, 9, 9, 2, 9);
	put_uleb(b, UINT64_MAX);
	put_string(b, "far");
	put(b, 8, BARE_TEXT);
	PUT(b, 8, 0);
	unit_end(b, f->unit);
	f->unit = unit_begin(b, 0);
	PUT(b, 1, 4, 0);
	unit_end(b, f->unit);
	look(f);
	EXPECT(0, "far");
	EXPECT(1, "!");
}

/* More bytes in attributes of fixed size than a step can skip, before and behind what is taken. */
static void test_wide(void **state)
{
	struct fixture *f = *state;
	struct sm_buf *a = &f->elf.abbrev, *b = &f->elf.info;
	const unsigned n = 300;

	a->len = 0;
	PUT(a, 1, DW_TAG_compile_unit, 1, 0, 0, 2, DW_TAG_subprogram, 0);
	for (unsigned i = 0; i < n; i++)
		PUT(a, DW_AT_const_value, DW_FORM_data16);
	PUT(a, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data1);
	for (unsigned i = 0; i < n; i++)
		PUT(a, DW_AT_const_value, DW_FORM_data16);
	PUT(a, DW_AT_name, DW_FORM_string, 0, 0);
	PUT(a, 3, DW_TAG_member, 0);
	for (unsigned i = 0; i < n; i++)
		PUT(a, DW_AT_const_value, DW_FORM_data16);
	PUT(a, 0, 0, 0);
	f->unit = unit_begin(b, 0);
	PUT(b, 1);
	for (unsigned i = 0; i < 40; i++) {
		put_uleb(b, 3);
		for (unsigned k = 0; k < 2 * n; k++)
			put(b, 8, 0);
	}
	put_uleb(b, 2);
	for (unsigned k = 0; k < 2 * n; k++)
		put(b, 8, 0);
	put(b, 8, BARE_TEXT);
	PUT(b, 8);
	for (unsigned k = 0; k < 2 * n; k++)
		put(b, 8, 0);
	put_string(b, "wide");
	end(f);
	look(f);
	EXPECT(0, "wide");
}

static void add_root_unit(struct fixture *f, size_t abbrevs)
{
	f->unit = unit_begin(&f->elf.info, abbrevs);
	PUT(&f->elf.info, 1, 2, 0);
	unit_end(&f->elf.info, f->unit);
}

/* Tables that don't end, with unknown forms, or with more attributes than make sense. */
static void test_bad_tables(void **state)
{
	struct fixture *f = *state;
	struct sm_buf *a = &f->elf.abbrev;

	a->len = 0;
	add_root_unit(f, a->len);
	PUT(a, 1, DW_TAG_compile_unit, 1, 0, 0, 2, DW_TAG_member, 0, DW_AT_name, 0x7f, 0, 0, 0);
	add_root_unit(f, a->len);
	PUT(a, 1, DW_TAG_compile_unit, 1, 0, 0, 2, DW_TAG_member, 0);
	for (unsigned i = 0; i <= DWARF_MAX_ATTRS; i++)
		PUT(a, DW_AT_external, DW_FORM_flag_present);
	PUT(a, 0, 0, 0);
	add_root_unit(f, a->len);
	PUT(a, 1, DW_TAG_compile_unit, 1, 0, 0, 2, DW_TAG_member, 0, DW_AT_name);
	look(f);
	assert_int_equal(sm_dwarf_units(f->d), 3);
	for (uint32_t i = 0; i < 3; i++)
		for (unsigned again = 0; again < 2; again++)
			EXPECT(i, "!");
}

/* Each unit's table begins a few bytes behind the last one's, and has the rest of the section. */
static void test_overlapping_tables(void **state)
{
	struct fixture *f = *state;
	struct sm_buf *a = &f->elf.abbrev;
	const unsigned n = 2000;
	unsigned good = 0;

	a->len = 0;
	for (unsigned i = 0; i < n; i++) {
		add_root_unit(f, a->len);
		PUT(a, 1, DW_TAG_compile_unit, 1, 0, 0, 2, DW_TAG_member, 0, 0, 0);
	}
	PUT(a, 0);
	look(f);
	assert_int_equal(sm_dwarf_units(f->d), n);
	for (uint32_t i = 0; i < n; i++) {
		struct sm_error *err = sm_dwarf_scopes(f->d, i, NULL, 0, &f->s);

		good += !err;
		sm_error_free(err);
	}
	assert_in_range(good, 1, 8);
}

static void test_shared_table(void **state)
{
	struct fixture *f = *state;
	const struct dwarf_abbrevs *t[3];

	for (unsigned i = 0; i < 2; i++) {
		begin(f, DW_LANG_C11);
		end(f);
	}
	begin(f, DW_LANG_C11);
	end(f);
	f->elf.info.data[f->unit + 10] = 4; /* address size */
	look(f);
	for (unsigned i = 0; i < 3; i++)
		assert_null(sm_dwarf_abbrevs(&f->d->units[i], &t[i]));
	assert_ptr_equal(t[0], t[1]);
	/* In which attributes have other sizes */
	assert_ptr_not_equal(t[0], t[2]);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_wanted),
		TEST(test_nested_function),
		TEST(test_member_function),
		TEST(test_sibling),
		TEST(test_sibling_far),
		TEST(test_depth),
		TEST(test_damage),
		TEST(test_dropped),
		TEST(test_origins),
		TEST(test_sparse_codes),
		TEST(test_wide),
		TEST(test_bad_tables),
		TEST(test_overlapping_tables),
		TEST(test_shared_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
