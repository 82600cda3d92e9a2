/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Line programs: each opcode and rule, all versions, and programs that lie. */
#include "line_maker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* Ends the table, and compares its rows. */
static void expect_wanted(struct line_maker *m, const uint64_t *wanted, size_t n, const char *rows)
{
	struct line_reader r;

	line_end(m);
	line_reader_init(&r, m);
	assert_string_equal(line_rows(&r, wanted, n), rows);
	line_reader_release(&r);
	line_maker_release(m);
}

static void expect(struct line_maker *m, const char *rows)
{
	expect_wanted(m, NULL, 0, rows);
}

/* A table of one sequence at 0x1000, whose first row is line 10. */
static void begin(struct line_maker *m, unsigned version)
{
	line_maker_init(m, version);
	line_begin(m);
	line_set_address(m, 0x1000);
	line_advance_line(m, 9);
	line_copy(m);
}

static void all_opcodes(struct line_maker *m)
{
	line_begin(m);
	line_set_address(m, 0x1000);
	line_advance_line(m, 99);
	line_copy(m); /* 1000 1:100 */
	line_special(m, 4, 2);
	line_advance_pc(m, 300);
	line_set_file(m, 2);
	line_advance_line(m, -50);
	line_u8(m, 5); /* column */
	line_uleb(m, 1000);
	line_u8(m, 6); /* is_stmt no more: such a row counts too */
	line_copy(m);  /* 1130 2:52 */
	line_u8(m, 7);
	line_u8(m, 8); /* adds 17 */
	line_special(m, 0, -5);
	line_u8(m, 9);
	line_u(m, 0x1234, 2);
	if (m->version >= 3) {
		line_u8(m, 10);
		line_u8(m, 11);
		line_u8(m, 12);
		line_uleb(m, 200);
	}
	line_extended(m, 4, 2); /* discriminator */
	line_uleb(m, 300);
	line_extended(m, 0x80, 5); /* nobody knows it */
	line_u(m, 0x0101010101, 5);
	line_set_file(m, 1);
	line_copy(m); /* 2375 1:47 */
	line_advance_pc(m, 1);
	line_end_sequence(m);
	line_set_address(m, 0x3000);
	line_copy(m); /* the registers are as in the beginning */
	line_advance_pc(m, 0x10);
	line_end_sequence(m);
	expect(m, "1000 1:100, 1004 1:102, 1130 2:52, 1141 2:47, 2375 1:47, 2376 -, 3000 1:1, "
		  "3010 -");
}

static void test_opcodes(void **state)
{
	(void)state;
	for (unsigned version = 2; version <= 5; version++) {
		for (unsigned wide = 0; wide < 2; wide++) {
			for (unsigned swap = 0; swap < 2; swap++) {
				struct line_maker m;

				line_maker_init(&m, version);
				m.offset_size = wide ? 8 : 4;
				m.addr_size = wide ? 8 : 4;
				m.swap = swap;
				m.opcode_base = version == 2 ? 10 : 13;
				all_opcodes(&m);
			}
		}
	}
}

static void test_header_numbers(void **state)
{
	static const uint8_t operands[] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 3, 0};
	struct line_maker m;

	(void)state;
	/* Instructions of 4 bytes; fixed_advance_pc counts bytes. */
	line_maker_init(&m, 4);
	m.min_insn = 4;
	m.line_base = -1;
	m.line_range = 4;
	line_begin(&m);
	line_set_address(&m, 0x1000);
	line_special(&m, 2, 1);
	line_advance_pc(&m, 3);
	line_copy(&m);
	line_u8(&m, 8); /* (255 - 13) / 4 = 60 instructions */
	line_copy(&m);
	line_u8(&m, 9);
	line_u(&m, 2, 2);
	line_end_sequence(&m);
	expect(&m, "1008 1:2, 1014 1:2, 1104 1:2, 1106 -");

	/* Fewer opcodes: what is const_add_pc else is a special one. */
	line_maker_init(&m, 3);
	m.opcode_base = 4;
	line_begin(&m);
	line_set_address(&m, 0x1000);
	line_u8(&m, 8); /* line -5 + 4 */
	line_special(&m, 8, 3);
	line_end_sequence(&m);
	expect(&m, "1000 1:0, 1008 -");
	/* None at all. */
	line_maker_init(&m, 3);
	m.opcode_base = 1;
	line_begin(&m);
	line_set_address(&m, 0x1000);
	line_u8(&m, 1 + 5);
	line_u8(&m, 9); /* not fixed_advance_pc: 3 lines */
	line_u8(&m, 1 + 14 + 6);
	line_u8(&m, 1 + 14 + 5);
	line_end_sequence(&m);
	expect(&m, "1000 1:4, 1001 1:5, 1002 -");

	/* More opcodes: passed over by what the header says that they take. */
	line_maker_init(&m, 5);
	m.opcode_base = 15;
	m.operands = operands;
	line_begin(&m);
	line_set_address(&m, 0x1000);
	line_copy(&m);
	line_u8(&m, 13);
	line_uleb(&m, 1);
	line_uleb(&m, 0x12345678);
	line_uleb(&m, 1);
	line_u8(&m, 14);
	line_special(&m, 1, 1);
	line_special(&m, 1, 1);
	line_end_sequence(&m);
	expect(&m, "1000 1:1, 1001 1:2, 1002 -");
}

static void test_several_instructions_at_an_address(void **state)
{
	struct line_maker m;

	(void)state;
	line_maker_init(&m, 4);
	m.max_ops = 3;
	m.min_insn = 16;
	line_begin(&m);
	line_set_address(&m, 0x1000);
	line_special(&m, 0, 0);
	line_special(&m, 1, 1); /* the second there: the last counts */
	line_special(&m, 2, 1);
	line_advance_pc(&m, 4); /* the second of the next but one */
	line_special(&m, 1, 1);
	line_special(&m, 1, 1);
	line_u8(&m, 9); /* and from the first again */
	line_u(&m, 8, 2);
	line_special(&m, 2, 0);
	line_special(&m, 1, 5);
	line_end_sequence(&m);
	expect(&m, "1000 1:2, 1010 1:3, 1020 1:4, 1030 1:5, 1038 1:5, 1048 -");
}

static void test_which_row(void **state)
{
	struct line_maker m;

	(void)state;
	/* The last of those at one address, also where the address comes back by an opcode. */
	begin(&m, 5);
	line_special(&m, 0, 1);
	line_set_file(&m, 2);
	line_special(&m, 4, 1);
	line_set_address(&m, 0x1004);
	line_special(&m, 0, 8);
	line_advance_pc(&m, 4);
	line_copy(&m);
	line_end_sequence(&m); /* the row just before takes no bytes */
	expect(&m, "1000 1:11, 1004 2:20, 1008 -");

	/* Line 0 is a line that the compiler doesn't know; below 0 there is none. */
	begin(&m, 4);
	line_special(&m, 2, 0);
	line_advance_line(&m, -10);
	line_special(&m, 2, 0);
	line_advance_line(&m, -3);
	line_special(&m, 2, 0);
	line_advance_line(&m, 7);
	line_special(&m, 2, 0);
	line_advance_pc(&m, 2);
	line_end_sequence(&m);
	expect(&m, "1000 1:10, 1002 1:10, 1004 1:0, 1006 1:0, 1008 1:4, 100a -");
}

/* A sequence with a row of this line in front, and one of the next at `middle`. */
static void sequence(struct line_maker *m, uint64_t start, uint64_t middle, uint64_t end, int line)
{
	line_set_address(m, start);
	line_advance_line(m, line - 1);
	line_copy(m);
	line_set_address(m, middle);
	line_special(m, 0, 1);
	line_set_address(m, end);
	line_end_sequence(m);
}

static void test_sequences(void **state)
{
	static const uint64_t wanted[] = {0x2002, 0x2019};
	struct line_maker m;

	(void)state;
	line_maker_init(&m, 5);
	line_begin(&m);
	sequence(&m, 0x3000, 0x3008, 0x3010, 30);
	sequence(&m, 0x1000, 0x1008, 0x1010, 10);
	sequence(&m, 0x2000, 0x2008, 0x2010, 20);
	sequence(&m, 0x2010, 0x2018, 0x2020, 25); /* right behind */
	sequence(&m, 0x4000, 0x4000, 0x4000, 40); /* nothing */
	line_set_address(&m, 0x5000);
	line_end_sequence(&m);
	expect(&m, "1000 1:10, 1008 1:11, 1010 -, 2000 1:20, 2008 1:21, 2010 1:25, 2018 1:26, "
		   "2020 -, 3000 1:30, 3008 1:31, 3010 -");

	/* Not in DWARF: overlapping ones. The later begins, the other ends. */
	line_maker_init(&m, 5);
	line_begin(&m);
	sequence(&m, 0x2000, 0x2018, 0x2020, 20);
	sequence(&m, 0x2010, 0x2014, 0x2018, 30);
	expect(&m, "2000 1:20, 2010 1:30, 2014 1:31, 2018 -");
	line_maker_init(&m, 5);
	line_begin(&m);
	sequence(&m, 0x2000, 0x2018, 0x2020, 20);
	sequence(&m, 0x2010, 0x2014, 0x2018, 30);
	expect_wanted(&m, wanted, 2, "2000 1:20, 2010 -");
	/* The same start: the longer. */
	line_maker_init(&m, 5);
	line_begin(&m);
	sequence(&m, 0x2000, 0x2008, 0x2020, 20);
	sequence(&m, 0x2000, 0x2004, 0x2010, 30);
	expect(&m, "2000 1:20, 2008 1:21, 2020 -");

	/* Nor addresses that go back: how far the row before goes is unknown. */
	begin(&m, 5);
	line_special(&m, 4, 1);
	line_set_address(&m, 0x800);
	line_special(&m, 0, 1);
	line_special(&m, 4, 1);
	line_special(&m, 4, 1);
	line_end_sequence(&m);
	expect(&m, "800 1:12, 804 1:13, 808 -, 1000 1:10, 1004 -");
	begin(&m, 5);
	line_set_address(&m, 0xff0);
	line_end_sequence(&m);
	expect(&m, "");
	begin(&m, 5);
	line_special(&m, 4, 1);
	line_special(&m, 4, 1);
	line_set_address(&m, 0x1002);
	line_end_sequence(&m);
	expect(&m, "1000 1:10, 1004 1:11, 1008 -");
}

static void test_discarded(void **state)
{
	struct line_maker m;

	(void)state;
	line_maker_init(&m, 5);
	line_begin(&m);
	sequence(&m, 0, 0x10, 0x5000, 5);
	sequence(&m, 0x1000, 0x1008, 0x1010, 10);
	sequence(&m, UINT64_MAX, 4, 0x20, 5); /* wraps */
	sequence(&m, UINT64_MAX - 1, UINT64_MAX, UINT64_MAX, 5);
	expect(&m, "1000 1:10, 1008 1:11, 1010 -");
	line_maker_init(&m, 5);
	m.addr_size = 4;
	line_begin(&m);
	sequence(&m, UINT32_MAX, UINT32_MAX, UINT32_MAX, 5);
	line_set_address(&m, UINT32_MAX - 1);
	line_copy(&m);
	line_special(&m, 8, 0);
	line_end_sequence(&m);
	sequence(&m, 0, 0x10, 0x2000, 5);
	sequence(&m, 0xc0001000, 0xc0001008, 0xc0001010, 10);
	expect(&m, "c0001000 1:10, c0001008 1:11, c0001010 -");
}

/* A row that holds an address, among the rows of a table: its number, SIZE_MAX = none. */
static const struct dwarf_row *row_at(const struct dwarf_rows *rows, uint64_t addr)
{
	const struct dwarf_row *row = NULL;

	for (size_t i = 0; i < rows->n && rows->rows[i].addr <= addr; i++)
		row = &rows->rows[i];
	return row && row->file != DWARF_NONE ? row : NULL;
}

/* Whatever is wanted, it is what it is among all rows. */
static void test_wanted(void **state)
{
	uint32_t seed = 1;

	(void)state;
	for (unsigned round = 0; round < 200; round++) {
		struct dwarf_rows all = {0}, some = {0};
		uint64_t wanted[4];
		struct line_reader r;
		struct line_maker m;

		line_maker_init(&m, 4);
		line_begin(&m);
		for (unsigned i = 0; i < 60; i++) {
			seed = seed * 1664525 + 1013904223;
			if (seed >> 28 == 0)
				line_end_sequence(&m);
			else if (seed >> 28 == 1)
				line_set_address(&m, 0x1000 + (seed >> 8 & 0xff));
			else
				line_special(&m, seed >> 24 & 7, (int)(seed >> 16 & 7) - 1);
		}
		line_end_sequence(&m);
		line_end(&m);
		line_reader_init(&r, &m);
		assert_null(sm_dwarf_rows(&r.dwarf, 0, NULL, 0, &all));
		for (unsigned i = 0; i < 4; i++)
			wanted[i] = 0x1000 + 0x30 * i + (seed >> (4 * i) & 0xf);
		for (unsigned n = 0; n <= 4; n++) {
			assert_null(sm_dwarf_rows(&r.dwarf, 0, wanted, n, &some));
			assert_true(some.n <= 2 * n + 20);
			for (unsigned i = 0; i < n; i++) {
				const struct dwarf_row *x = row_at(&all, wanted[i]);
				const struct dwarf_row *y = row_at(&some, wanted[i]);

				assert_true(!x == !y);
				if (x)
					assert_int_equal(x->line, y->line);
			}
		}
		sm_dwarf_rows_release(&all);
		sm_dwarf_rows_release(&some);
		line_reader_release(&r);
		line_maker_release(&m);
	}
}

static void test_wanted_rows_end(void **state)
{
	static const uint64_t one[] = {0x1007}, two[] = {0xfff, 0x1004, 0x1008, 0x1009, 0x1010};
	struct line_maker m;

	(void)state;
	begin(&m, 5);
	line_special(&m, 4, 1);
	line_special(&m, 4, 1);
	line_special(&m, 8, 1);
	line_end_sequence(&m);
	expect_wanted(&m, one, 1, "1004 1:11, 1008 -");
	begin(&m, 5);
	line_special(&m, 4, 1);
	line_special(&m, 4, 1);
	line_special(&m, 8, 1);
	line_end_sequence(&m);
	expect_wanted(&m, two, 5, "1004 1:11, 1008 1:12, 1010 -");
	begin(&m, 5);
	line_advance_pc(&m, 16);
	line_end_sequence(&m);
	expect_wanted(&m, two, 0, "");
}

/* ---- lies ---- */

static void test_bad_headers(void **state)
{
	static const uint8_t operands[] = {0, 1, 2, 1, 1, 0, 0, 0, 1, 0, 0, 1};
	struct line_maker m;
	struct line_reader r;

	(void)state;
	for (unsigned version = 0; version < 8; version += version == 1 ? 5 : 1) {
		line_maker_init(&m, version);
		line_begin(&m);
		expect(&m, version < 2 || version > 5 ? "; its version is none of 2 to 5" : "");
	}
	for (unsigned i = 0; i < 3; i++) {
		line_maker_init(&m, 5);
		*(i == 0 ? &m.line_range : i == 1 ? &m.opcode_base : &m.max_ops) = 0;
		line_begin(&m);
		expect(&m, "; its header makes no sense");
	}
	line_maker_init(&m, 5);
	m.operands = operands;
	line_begin(&m);
	expect(&m, "; its opcodes take other operands");
	line_maker_init(&m, 5);
	m.header_lie = 1;
	line_begin(&m);
	expect(&m, "; its header is longer than the table");
	for (unsigned version = 4; version <= 5; version++) {
		line_maker_init(&m, version);
		m.header_lie = -1;
		line_begin(&m);
		expect(&m, "; its tables of files reach beyond its header");
	}
	line_maker_init(&m, 4);
	m.length_lie = 1;
	line_begin(&m);
	expect(&m, "; it reaches beyond the section");
	line_maker_init(&m, 4);
	m.offset_size = 8;
	m.length_lie = INT64_MIN;
	line_begin(&m);
	expect(&m, "; it reaches beyond the section");

	/* The unit says where it is. */
	begin(&m, 5);
	line_end(&m);
	line_reader_init(&r, &m);
	r.unit.stmt_list = m.b.len;
	assert_string_equal(line_rows(&r, NULL, 0), "; it would begin behind the section");
	r.unit.stmt_list = UINT64_MAX;
	assert_string_equal(line_rows(&r, NULL, 0), "; it would begin behind the section");
	r.unit.stmt_list = m.b.len - 3;
	assert_string_equal(line_rows(&r, NULL, 0), "; it reaches beyond the section");
	/* No table isn't wrong. */
	r.unit.has_line = false;
	assert_string_equal(line_rows(&r, NULL, 0), "");
	r.unit.has_line = true;
	r.dwarf.main.line.data = NULL;
	assert_string_equal(line_rows(&r, NULL, 0), "");
	assert_string_equal(line_file(&r, 1), "?");
	line_reader_release(&r);
	line_maker_release(&m);
}

static void test_bad_programs(void **state)
{
	struct line_maker m;

	(void)state;
	/* What was whole stays. */
	line_maker_init(&m, 5);
	line_begin(&m);
	sequence(&m, 0x1000, 0x1008, 0x1010, 10);
	line_set_address(&m, 0x2000);
	line_copy(&m);
	line_special(&m, 4, 1);
	expect(&m, "1000 1:10, 1008 1:11, 1010 -; it is cut short");
	line_maker_init(&m, 5);
	line_begin(&m);
	sequence(&m, 0x1000, 0x1008, 0x1010, 10);
	line_extended(&m, 1, 1);
	expect(&m, "1000 1:10, 1008 1:11, 1010 -; it is cut short");
	/* Addresses of no size, an odd one, and a long one. */
	for (unsigned size = 0; size <= 9; size += 3) {
		line_maker_init(&m, 5);
		line_begin(&m);
		line_extended(&m, 2, size);
		for (unsigned i = 0; i < size; i++)
			line_u8(&m, 1);
		line_end_sequence(&m);
		expect(&m, "; it is cut short");
	}
	/* Of another size than the unit's. */
	line_maker_init(&m, 5);
	line_begin(&m);
	line_extended(&m, 2, 2);
	line_u(&m, 0x1234, 2);
	line_special(&m, 0, 0);
	line_special(&m, 4, 0);
	line_end_sequence(&m);
	expect(&m, "1234 1:1, 1238 -");
	/* Numbers that don't fit, and one that doesn't end. */
	begin(&m, 5);
	line_u8(&m, 2);
	for (unsigned i = 0; i < 20; i++)
		line_u8(&m, 0x80);
	line_u8(&m, 1);
	line_set_file(&m, UINT64_MAX);
	line_u8(&m, 3);
	for (unsigned i = 0; i < 20; i++)
		line_u8(&m, 0xff);
	line_u8(&m, 0x7f);
	line_special(&m, 1, 0);
	line_special(&m, 1, 0);
	line_end_sequence(&m);
	expect(&m, "1000 1:10, 1001 4294967294:9, 1002 -");
	begin(&m, 5);
	line_u8(&m, 2);
	line_u8(&m, 0xff);
	line_u8(&m, 0xff);
	expect(&m, "; it is cut short");
	/* An extended opcode without one. */
	begin(&m, 5);
	line_u8(&m, 0);
	line_u8(&m, 0);
	line_special(&m, 4, 1);
	line_end_sequence(&m);
	expect(&m, "1000 1:10, 1004 -");
}

/* Every byte of a table as every other: nothing is read behind its end, and rows stay sorted. */
static void test_any_byte(void **state)
{
	(void)state;
	for (unsigned version = 3; version <= 5; version++) {
		struct line_maker m;
		struct line_reader r;

		line_maker_init(&m, version);
		line_begin(&m);
		sequence(&m, 0x3000, 0x3008, 0x3010, 30);
		line_extended(&m, 3, 6);
		line_str(&m, "d.h");
		line_u8(&m, 1);
		line_u8(&m, 0);
		line_u8(&m, 0);
		sequence(&m, 0x1000, 0x1008, 0x1010, 10);
		line_end(&m);
		line_reader_init(&r, &m);
		for (size_t i = 0; i < m.b.len; i++) {
			uint8_t was = r.line[i];

			for (unsigned v = 0; v < 256; v += version == 5 ? 1 : 5) {
				r.line[i] = (uint8_t)v;
				(void)line_rows(&r, NULL, 0);
				(void)line_file(&r, v % 5);
			}
			r.line[i] = was;
		}
		/* Cut anywhere. */
		for (size_t i = 0; i < m.b.len; i++) {
			struct line_maker cut = m;
			struct line_reader c;

			cut.b.len = i ? i : 1;
			line_reader_init(&c, &cut);
			(void)line_rows(&c, NULL, 0);
			line_reader_release(&c);
		}
		line_reader_release(&r);
		line_maker_release(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_opcodes),
		cmocka_unit_test(test_header_numbers),
		cmocka_unit_test(test_several_instructions_at_an_address),
		cmocka_unit_test(test_which_row),
		cmocka_unit_test(test_sequences),
		cmocka_unit_test(test_discarded),
		cmocka_unit_test(test_wanted),
		cmocka_unit_test(test_wanted_rows_end),
		cmocka_unit_test(test_bad_headers),
		cmocka_unit_test(test_bad_programs),
		cmocka_unit_test(test_any_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
