/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Line tables from what a test says, byte by byte, and a reader that has one unit with such. */
#ifndef UNIT_LINE_MAKER_H
#define UNIT_LINE_MAKER_H

#include "lib/symbol/dwarf_die.h"
#include "lib/symbol/dwarf_line.h"

/* What may be changed before line_header(). */
struct line_maker {
	bool swap;
	unsigned version, offset_size, addr_size;
	uint8_t min_insn, max_ops, line_range, opcode_base;
	int8_t line_base;
	const uint8_t *operands;        /* NULL = the standard ones, and 1 for each beyond */
	int64_t header_lie, length_lie; /* added to what the lengths are */

	struct sm_buf b;
	size_t length_at, header_at; /* behind the lengths */
};

/* DWARF of this version, 32 bits wide, in the machine's byte order. */
void line_maker_init(struct line_maker *m, unsigned version);
void line_maker_release(struct line_maker *m);

void line_u8(struct line_maker *m, unsigned v);
void line_u(struct line_maker *m, uint64_t v, unsigned size);
void line_uleb(struct line_maker *m, uint64_t v);
void line_sleb(struct line_maker *m, int64_t v);
void line_str(struct line_maker *m, const char *s);

/* The header up to the tables; line_tables() adds those of a directory "inc" and files: 1 is "a.c"
 * in the compilation's directory ("/src"), 2 is "b.h" in "inc". */
void line_header(struct line_maker *m);
void line_tables(struct line_maker *m);
/* The program begins. */
void line_program(struct line_maker *m);
/* All of the above. */
void line_begin(struct line_maker *m);

/* Opcodes: a special one, by what it adds; an extended one's head. */
void line_special(struct line_maker *m, unsigned operations, int line);
void line_extended(struct line_maker *m, unsigned opcode, uint64_t operands_len);
void line_set_address(struct line_maker *m, uint64_t addr);
void line_advance_pc(struct line_maker *m, uint64_t operations);
void line_advance_line(struct line_maker *m, int64_t lines);
void line_set_file(struct line_maker *m, uint64_t file);
void line_copy(struct line_maker *m);
void line_end_sequence(struct line_maker *m);
/* The table ends; its lengths are written. */
void line_end(struct line_maker *m);

/* A reader with one unit that has the maker's table, in memory that ends where the table does. */
struct line_reader {
	struct dwarf dwarf;
	struct dwarf_private priv;
	struct dwarf_unit unit;
	uint8_t *line;
};
void line_reader_init(struct line_reader *r, const struct line_maker *m);
void line_reader_release(struct line_reader *r);
/* Rows as text: "1000 1:5, 1004 2:7, 1010 -"; what is in front of an error's text is there too:
 * "1000 1:5, 1004 -; line table ...". In a static buffer. */
const char *line_rows(struct line_reader *r, const uint64_t *wanted, size_t n);
/* The path of a file, "?" = none. In a static buffer. */
const char *line_file(struct line_reader *r, uint32_t file);

#endif
