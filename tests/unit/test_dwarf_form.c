/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every form of an attribute: read, skipped, cut short, in both byte orders and all sizes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <dwarf.h>

#include "lib/symbol/dwarf_die.h"

/* The bytes are little-endian, as a big-endian file has them swapped below. */
static const uint8_t strings[] = "zero\0one\0two";
static const uint8_t line_strings[] = "first\0second";
static const uint8_t alt_strings[] = "far\0away";
static const uint8_t addresses[] = {0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, /* base 8 */
	0x11, 0, 0, 0, 0, 0, 0, 0, 0x22, 0, 0, 0, 0, 0, 0, 0x80};
static const uint8_t string_offsets[] = {0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0, 0, 0, 0,
	5, 0, 0, 0, 9, 0, 0, 0, 0xff, 0, 0, 0};
static const uint8_t list_offsets[] = {
	0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 4, 0, 0, 0};

#define SECTION(a)                          \
	{                                   \
		.data = a, .len = sizeof(a) \
	}

struct fixture {
	struct object obj;
	struct dwarf d;
	struct dwarf_unit u;
};

static void make(struct fixture *f)
{
	*f = (struct fixture){0};
	f->d.main = (struct dwarf_file){.obj = &f->obj,
		.str = SECTION(strings),
		.line_str = SECTION(line_strings),
		.addr = SECTION(addresses),
		.str_offsets = SECTION(string_offsets),
		.rnglists = SECTION(list_offsets),
		.swap = sm_host_big_endian()};
	f->d.alt = (struct dwarf_file){.obj = &f->obj, .str = SECTION(alt_strings)};
	f->u = (struct dwarf_unit){.file = &f->d.main,
		.offset = 0x1000,
		.end = 0x2000,
		.version = 5,
		.addr_size = 8,
		.offset_size = 4,
		.str_offsets_base = 8,
		.addr_base = 8,
		.rnglists_base = 12};
}

struct form_case {
	uint32_t form;
	const char *bytes;
	unsigned len;
	enum dwarf_kind kind;
	uint64_t u;
	const char *s;
	size_t block_len;
};

#define BYTES(b) b, sizeof(b) - 1
#define NUMBER(form, bytes, kind, v)                           \
	{                                                      \
		DW_FORM_##form, BYTES(bytes), kind, v, NULL, 0 \
	}
#define STRING(form, bytes, s)                                      \
	{                                                           \
		DW_FORM_##form, BYTES(bytes), DWARF_STRING, 0, s, 0 \
	}
#define BLOCK(form, bytes, n)                                         \
	{                                                             \
		DW_FORM_##form, BYTES(bytes), DWARF_BLOCK, 0, NULL, n \
	}

static const struct form_case cases[] = {
	NUMBER(addr, "\1\2\3\4\5\6\7\x88", DWARF_ADDRESS, 0x8807060504030201),
	NUMBER(data1, "\xfe", DWARF_CONSTANT, 0xfe),
	NUMBER(data2, "\1\xfe", DWARF_CONSTANT, 0xfe01),
	NUMBER(data4, "\1\2\3\xfe", DWARF_CONSTANT, 0xfe030201),
	NUMBER(data8, "\1\2\3\4\5\6\7\xfe", DWARF_CONSTANT, 0xfe07060504030201),
	NUMBER(udata, "\xe5\x8e\x26", DWARF_CONSTANT, 624485),
	NUMBER(udata, "\x80\x80\x00", DWARF_CONSTANT, 0),
	NUMBER(udata, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", DWARF_CONSTANT, UINT64_MAX),
	NUMBER(sdata, "\x9b\xf1\x59", DWARF_CONSTANT, (uint64_t)-624485),
	NUMBER(sdata, "\x7f", DWARF_CONSTANT, UINT64_MAX),
	NUMBER(implicit_const, "", DWARF_CONSTANT, (uint64_t)-7),
	NUMBER(flag, "\1", DWARF_FLAG, 1),
	NUMBER(flag, "\0", DWARF_FLAG, 0),
	NUMBER(flag_present, "", DWARF_FLAG, 1),
	NUMBER(sec_offset, "\1\2\3\4", DWARF_OFFSET, 0x4030201),
	BLOCK(data16, "0123456789abcdef", 16),
	BLOCK(block1, "\3abc", 3),
	BLOCK(block2, "\3\0abc", 3),
	BLOCK(block4, "\3\0\0\0abc", 3),
	BLOCK(block, "\x83\0abc", 3),
	BLOCK(exprloc, "\1\x9c", 1),
	BLOCK(exprloc, "\0", 0),
	STRING(string, "hello\0", "hello"),
	STRING(strp, "\5\0\0\0", "one"),
	STRING(strp, "\7\0\0\0", "e"),
	STRING(strp, "\xff\0\0\0", NULL),
	STRING(line_strp, "\6\0\0\0", "second"),
	STRING(strp_sup, "\4\0\0\0", "away"),
	STRING(GNU_strp_alt, "\4\0\0\0", "away"),
	STRING(strx, "\2", "two"),
	STRING(strx, "\x81\0", "one"),
	STRING(strx, "\3", NULL), /* whose offset is beyond the strings */
	STRING(strx, "\4", NULL), /* beyond the table */
	STRING(strx1, "\1", "one"),
	STRING(strx2, "\1\0", "one"),
	STRING(strx3, "\1\0\0", "one"),
	STRING(strx3, "\1\0\1", NULL),
	STRING(strx4, "\2\0\0\0", "two"),
	STRING(GNU_str_index, "\2", "two"),
	NUMBER(addrx, "\1", DWARF_ADDRESS, 0x8000000000000022),
	NUMBER(addrx, "\2", DWARF_OTHER, 0),
	NUMBER(addrx, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", DWARF_OTHER, 0),
	NUMBER(addrx1, "\0", DWARF_ADDRESS, 0x11),
	NUMBER(addrx2, "\1\0", DWARF_ADDRESS, 0x8000000000000022),
	NUMBER(addrx3, "\0\0\0", DWARF_ADDRESS, 0x11),
	NUMBER(addrx4, "\0\0\0\0", DWARF_ADDRESS, 0x11),
	NUMBER(GNU_addr_index, "\0", DWARF_ADDRESS, 0x11),
	NUMBER(rnglistx, "\0", DWARF_OFFSET, 16),
	NUMBER(rnglistx, "\1", DWARF_OTHER, 0),
	NUMBER(loclistx, "\1", DWARF_OTHER, 0),
	NUMBER(ref1, "\x20", DWARF_REFERENCE, 0x1020),
	NUMBER(ref2, "\xff\x0f", DWARF_REFERENCE, 0x1fff),
	NUMBER(ref2, "\x00\x10", DWARF_OTHER, 0), /* the next unit's */
	NUMBER(ref4, "\x20\1\0\0", DWARF_REFERENCE, 0x1120),
	NUMBER(ref8, "\x20\1\0\0\0\0\0\0", DWARF_REFERENCE, 0x1120),
	NUMBER(ref8, "\x20\1\0\0\0\0\0\xff", DWARF_OTHER, 0),
	NUMBER(ref_udata, "\xa0\2", DWARF_REFERENCE, 0x1120),
	NUMBER(ref_addr, "\x20\1\0\0", DWARF_REFERENCE, 0x120),
	NUMBER(ref_sup4, "\x20\1\0\0", DWARF_REFERENCE, 0x120 | DWARF_ALT),
	NUMBER(ref_sup8, "\x20\1\0\0\0\0\0\0", DWARF_REFERENCE, 0x120 | DWARF_ALT),
	NUMBER(GNU_ref_alt, "\x20\1\0\0", DWARF_REFERENCE, 0x120 | DWARF_ALT),
	NUMBER(ref_sig8, "\1\2\3\4\5\6\7\x8", DWARF_OTHER, 0),
	NUMBER(indirect, "\x0b\xfe", DWARF_CONSTANT, 0xfe),
	STRING(indirect, "\x08hello\0", "hello"),
};

static void check_case(const struct fixture *f, const struct form_case *c)
{
	/* Without a byte behind its end, so that a sanitizer sees what is read there. */
	uint8_t *copy = malloc(c->len + 1);

	assert_non_null(copy);
	for (unsigned shift = 0; shift < 2; shift++) {
		uint8_t *at = copy + 1 - shift;
		struct dwarf_bytes b = {.p = at, .end = at + c->len, .swap = f->d.main.swap};
		struct dwarf_bytes skip = b;
		struct dwarf_value v;

		memcpy(at, c->bytes, c->len);
		sm_dwarf_form_read(&f->d, &f->u, &b, c->form, -7, &v);
		assert_false(b.bad);
		assert_ptr_equal(b.p, b.end);
		assert_int_equal(v.kind, c->kind);
		if (v.kind == DWARF_STRING && c->s)
			assert_string_equal(v.s, c->s);
		else if (v.kind == DWARF_STRING)
			assert_null(v.s);
		else if (v.kind == DWARF_BLOCK)
			assert_int_equal(v.block_len, c->block_len);
		else if (v.kind != DWARF_OTHER)
			assert_int_equal(v.u, c->u);
		sm_dwarf_form_skip(&f->u, &skip, c->form);
		assert_false(skip.bad);
		assert_ptr_equal(skip.p, b.p);
	}
	free(copy);
}

static void check_short(const struct fixture *f, const struct form_case *c)
{
	for (unsigned len = 0; len < c->len; len++) {
		uint8_t *copy = malloc(len ? len : 1);
		struct dwarf_bytes b = {.p = copy, .end = copy + len, .swap = f->d.main.swap};
		struct dwarf_bytes skip = b;
		struct dwarf_value v;

		assert_non_null(copy);
		memcpy(copy, c->bytes, len);
		sm_dwarf_form_read(&f->d, &f->u, &b, c->form, 0, &v);
		assert_true(b.bad);
		assert_true(b.p <= b.end);
		sm_dwarf_form_skip(&f->u, &skip, c->form);
		assert_true(skip.bad);
		free(copy);
	}
}

static void test_forms(void **state)
{
	struct fixture f;

	(void)state;
	make(&f);
	for (size_t i = 0; i < SM_ARRAY_SIZE(cases); i++) {
		check_case(&f, &cases[i]);
		check_short(&f, &cases[i]);
	}
}

/* Reads and skips; both must say the same. */
static bool read_form(const struct fixture *f, uint32_t form, const char *bytes, size_t len,
	struct dwarf_value *v)
{
	const uint8_t *p = (const uint8_t *)bytes;
	struct dwarf_bytes b = {.p = p, .end = p + len, .swap = f->d.main.swap}, skip = b;

	sm_dwarf_form_read(&f->d, &f->u, &b, form, 0, v);
	sm_dwarf_form_skip(&f->u, &skip, form);
	assert_int_equal(b.bad, skip.bad);
	assert_true(b.bad || b.p == skip.p);
	return !b.bad && b.p == b.end;
}
#define READ(form, bytes) read_form(&f, DW_FORM_##form, bytes, sizeof(bytes) - 1, &v)

static void test_sizes(void **state)
{
	struct dwarf_value v;
	struct fixture f;

	(void)state;
	make(&f);
	f.u.addr_size = 4;
	assert_true(READ(addr, "\1\2\3\xfe"));
	assert_int_equal(v.u, 0xfe030201);
	assert_true(READ(addrx, "\3"));
	assert_int_equal(v.u, 0x80000000);
	f.u.offset_size = 8;
	assert_true(READ(sec_offset, "\1\2\3\4\0\0\0\0"));
	assert_true(READ(strp, "\5\0\0\0\0\0\0\0"));
	assert_string_equal(v.s, "one");
	assert_true(READ(strp, "\5\0\0\0\0\0\0\x80"));
	assert_null(v.s);
	assert_true(READ(GNU_ref_alt, "\5\0\0\0\0\0\0\0"));
	assert_true(READ(ref_addr, "\5\0\0\0\0\0\0\0"));
	/* It would say that it lies in the supplementary file. */
	assert_true(READ(ref_addr, "\5\0\0\0\0\0\0\x80"));
	assert_int_equal(v.kind, DWARF_OTHER);
	/* DWARF 2 had it as large as an address. */
	f.u.version = 2;
	assert_true(READ(ref_addr, "\5\0\0\0"));
	f.u.addr_size = 8;
	f.u.offset_size = 4;
	assert_true(READ(ref_addr, "\5\0\0\0\0\0\0\0"));
}

static void test_swapped(void **state)
{
	struct dwarf_value v;
	struct fixture f;

	(void)state;
	make(&f);
	f.d.main.swap = !f.d.main.swap;
	assert_true(READ(addr, "\x81\2\3\4\5\6\7\x8"));
	assert_int_equal(v.u, 0x8102030405060708);
	assert_true(READ(data2, "\1\2"));
	assert_int_equal(v.u, 0x102);
	assert_true(READ(addrx3, "\0\0\1"));
	assert_int_equal(v.u, 0x2200000000000080);
	assert_true(READ(block2, "\0\2ab"));
	assert_true(READ(ref4, "\0\0\0\x20"));
	assert_int_equal(v.u, 0x1020);
}

static void test_supplementary(void **state)
{
	struct dwarf_value v;
	struct fixture f;

	(void)state;
	make(&f);
	/* A unit of it refers to its own DIEs, and to no third file. */
	f.u.file = &f.d.alt;
	f.d.alt.swap = f.d.main.swap;
	assert_true(READ(ref4, "\x20\0\0\0"));
	assert_int_equal(v.u, 0x1020 | DWARF_ALT);
	assert_true(READ(ref_addr, "\x20\0\0\0"));
	assert_int_equal(v.u, 0x20 | DWARF_ALT);
	assert_true(READ(GNU_ref_alt, "\x20\0\0\0"));
	assert_int_equal(v.kind, DWARF_OTHER);
	f.u.file = &f.d.main;
	f.d.alt = (struct dwarf_file){0};
	assert_true(READ(GNU_ref_alt, "\x20\0\0\0"));
	assert_int_equal(v.kind, DWARF_OTHER);
	assert_true(READ(GNU_strp_alt, "\0\0\0\0"));
	assert_null(v.s);
}

static void test_nonsense(void **state)
{
	struct dwarf_value v;
	struct fixture f;

	(void)state;
	make(&f);
	assert_false(read_form(&f, 0, "aaaa", 4, &v));
	assert_false(read_form(&f, 0x7f, "aaaa", 4, &v));
	assert_false(read_form(&f, 0x1f7f, "aaaa", 4, &v));
	/* indirect to itself, to what has no bytes here, and to what 32 bits would cut */
	assert_false(READ(indirect, "\x16\x0b\1"));
	assert_false(READ(indirect, "\x21\1"));
	assert_false(READ(indirect, "\x8b\x80\x80\x80\x10\1"));
	/* A length that wraps */
	assert_false(READ(block, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"));
	assert_false(READ(block4, "\xff\xff\xff\xff"));
	assert_false(READ(string, "endless"));
	/* A ULEB128 without an end */
	assert_false(READ(udata, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"));
}

static void test_string(void **state)
{
	static const uint8_t cut[] = {'a', 'b', 0, 'c', 'd'};
	struct dwarf_section s = {.data = cut, .len = sizeof(cut)};

	(void)state;
	assert_string_equal(sm_dwarf_string(&s, 0), "ab");
	assert_string_equal(sm_dwarf_string(&s, 2), "");
	assert_null(sm_dwarf_string(&s, 3));
	assert_null(sm_dwarf_string(&s, 5));
	assert_null(sm_dwarf_string(&s, UINT64_MAX));
	s = (struct dwarf_section){0};
	assert_null(sm_dwarf_string(&s, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_swapped),
		cmocka_unit_test(test_supplementary),
		cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_string),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
