/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A unit's line table, opened once for its rows and for the names of its files. What
 * sm_dwarf_rows() and sm_dwarf_file() do at each call is done once here: for who needs both, and
 * many files.
 */
#ifndef SMTOOL_SYMBOL_DWARF_LINE_H
#define SMTOOL_SYMBOL_DWARF_LINE_H

#include "dwarf_unit.h"

/* Where the entries of a table of directories or files begin. They are decoded when they are asked
 * for: most files of a table have no rows. */
struct line_entries {
	const uint8_t **at;
	size_t n, cap;
	unsigned nformats; /* DWARF 5: what an entry consists of */
	struct {
		uint16_t content, form; /* UINT16_MAX = larger */
	} formats[UINT8_MAX];
};

/* Zero-initialise before the first sm_line_table_open(); one after the other reuses the memory. */
struct line_table {
	const struct dwarf *dwarf;
	struct dwarf_unit unit; /* a copy, with the sizes and version of the line table */
	uint64_t offset;        /* in .debug_line */
	const uint8_t *program; /* NULL = the unit has no line table */
	const uint8_t *end;
	const uint8_t *operands; /* of opcode i at [i - 1]: how many */
	uint8_t min_insn, max_ops, line_range, opcode_base;
	int8_t line_base;
	struct line_entries dirs, files;
	size_t nfiles; /* of `files`, those of the header */
	/* Reused by runs. */
	struct line_sequence *sequences;
	size_t sequences_cap;
	struct dwarf_rows sorted;
};

/* What a path is joined from, absolute or not; each is relative to the one before. NULL = there is
 * none, or what follows is absolute. Equal pointers mean equal strings, not the other way round. */
struct line_path {
	const char *parts[3];
};

/* Reads the header and finds the entries. The table may be released or opened again after an
 * error. */
struct sm_error *sm_line_table_open(
	struct line_table *t, struct dwarf *dwarf, uint32_t unit) SM_MUST_CHECK;
void sm_line_table_release(struct line_table *t);
/* As sm_dwarf_rows(). Files that the program defines (DW_LNE_define_file) are there after it. */
struct sm_error *sm_line_table_run(struct line_table *t, const uint64_t *wanted, size_t nwanted,
	struct dwarf_rows *rows) SM_MUST_CHECK;
/* A file by its number, as in sm_dwarf_file(); false = there is none. */
bool sm_line_table_file(const struct line_table *t, uint32_t file, struct line_path *path);

/* Appends the joined path as sm_dwarf_file() says it. */
void sm_line_path_join(const struct line_path *path, struct dwarf *dwarf, struct sm_buf *buf);

/* What the reader's two files share: a fault at `at` in .debug_line, and an entry of before DWARF
 * 5, a string with some numbers behind it; *last where the string is empty, or b->bad. */
struct sm_error *sm_line_table_bad(
	const struct line_table *t, const uint8_t *at, const char *detail) SM_MUST_CHECK;
struct sm_error *sm_line_entry_find(struct line_entries *entries, struct dwarf_bytes *b,
	unsigned numbers, bool *last) SM_MUST_CHECK;

#endif
