/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reader of DWARF 2 to 5 for one purpose: which function is an address in, what was inlined
 * there, and which lines are these. All addresses are image addresses (object.h). After
 * sm_dwarf_open() everything may be called by several threads at once.
 *
 * A unit that makes no sense costs that unit: the functions return SM_E_FORMAT with the offset in
 * the section, and others are still read.
 */
#ifndef SMTOOL_SYMBOL_DWARF_H
#define SMTOOL_SYMBOL_DWARF_H

#include "object.h"

#define DWARF_NONE UINT32_MAX

struct dwarf;

/* Half-open. */
struct dwarf_range {
	uint64_t start, end;
};

/* A function with code, or one that was inlined into it. */
struct dwarf_scope {
	uint64_t origin;  /* for sm_dwarf_name(), */
	const char *name; /* which gives this; NULL = it has none */
	uint32_t parent;  /* index of the scope that it was inlined into; DWARF_NONE = a function */
	uint32_t call_file; /* where it was inlined: number in the unit's own file table, */
	uint32_t call_line; /* both 0 = unknown */
	uint32_t first_range, nranges; /* in dwarf_scopes.ranges; none where only what was
					  inlined into it has some */
};

/* Parents come before their children. Lexical blocks are no scopes: what is inlined in one has the
 * function around as its parent. Zero-initialise; free with sm_dwarf_scopes_release(). Calls append
 * after a reset of n and nranges to 0. */
struct dwarf_scopes {
	struct dwarf_scope *scopes;
	size_t n, cap;
	struct dwarf_range *ranges;
	size_t nranges, ranges_cap;
	uint8_t *unit; /* scratch: the bytes of a unit */
	size_t unit_cap;
};

/* A row of a line table: valid up to the next row's address. */
struct dwarf_row {
	uint64_t addr;
	uint32_t file; /* number in the unit's own file table; DWARF_NONE = no line here (after
			  an end_sequence) */
	uint32_t line;
};

/* Sorted by address; of several rows at one address only the last counts, and is the only one. */
struct dwarf_rows {
	struct dwarf_row *rows;
	size_t n, cap;
};

/*
 * `alt` is the supplementary file of dwz, NULL = there is none; both must outlive the reader. A
 * file without .debug_info isn't an error: *dwarf is NULL then.
 */
struct sm_error *sm_dwarf_open(struct object *obj, struct object *alt, const struct sm_log *log,
	struct dwarf **dwarf) SM_MUST_CHECK;
void sm_dwarf_free(struct dwarf *dwarf);

/* Units with code are numbered from 0 in the order of .debug_info; units of types and partial units
 * are among them, and have no addresses. */
size_t sm_dwarf_units(const struct dwarf *dwarf);
/* Of n sorted addresses, the unit that holds each; DWARF_NONE = none does. By .debug_aranges where
 * it covers them, else by the ranges of the units' own DIEs. */
struct sm_error *sm_dwarf_find_units(
	struct dwarf *dwarf, const uint64_t *addrs, size_t n, uint32_t *units) SM_MUST_CHECK;

/*
 * Appends the functions of a unit that have code, each followed by what is inlined into it. With
 * `wanted` (sorted) only functions that hold one of these addresses, which is much faster than all:
 * the others' children are skipped by DW_AT_sibling. After SM_E_FORMAT, what was appended before
 * the fault is sound.
 */
struct sm_error *sm_dwarf_scopes(struct dwarf *dwarf, uint32_t unit, const uint64_t *wanted,
	size_t nwanted, struct dwarf_scopes *scopes) SM_MUST_CHECK;
void sm_dwarf_scopes_release(struct dwarf_scopes *scopes);
/* The name of a scope's origin, which may lie in another unit or in the supplementary file: the
 * linkage name, else the name. NULL = it has none. As long as the file is mapped. */
const char *sm_dwarf_name(struct dwarf *dwarf, uint64_t origin);

/*
 * Runs a unit's line program. With `wanted` (sorted), rows that hold none of these addresses may be
 * left out. A unit without a line table has no rows.
 */
struct sm_error *sm_dwarf_rows(struct dwarf *dwarf, uint32_t unit, const uint64_t *wanted,
	size_t nwanted, struct dwarf_rows *rows) SM_MUST_CHECK;
void sm_dwarf_rows_release(struct dwarf_rows *rows);

/*
 * The path of a file by its number in the unit's table: DWARF 5 counts from 0, earlier ones from 1.
 * Made absolute by the directory table and DW_AT_comp_dir, with "/./", "//" and "x/../" taken out,
 * then relative to sm_dwarf_build_root() or sm_dwarf_root() where it lies in one: "mm/slub.c".
 * Kernels are built in a directory of their own, and then some name their files from there although
 * they lie in the source tree. Appends to `path`; false and nothing where there is no such file.
 */
bool sm_dwarf_file(struct dwarf *dwarf, uint32_t unit, uint32_t file, struct sm_buf *path);
/* The longest directory that DW_AT_comp_dir and the absolute DW_AT_name of all units share, ending
 * in '/': the top of the source tree. "" where that is none or "/". */
const char *sm_dwarf_root(struct dwarf *dwarf);
/* The same of DW_AT_comp_dir alone: of those that are absolute, or of those that aren't, which a
 * prefix map leaves. */
const char *sm_dwarf_build_root(struct dwarf *dwarf, bool absolute);

#endif
