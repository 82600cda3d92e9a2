/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes DWARF 2 to 5 into a file of elfwriter.h. What a test writes reads like the tree it builds:
 *
 *	struct dw *d = dw_new(f, &(struct dw_style){.version = 5});
 *
 *	for (UNIT(d, compile)) {
 *		dw_name(d, "mm/slub.c");
 *		dw_code(d, text, 0, 0x100);
 *		for (LINES(d)) {
 *			dw_primary(d, "/src", "mm/slub.c");
 *			dw_file(d, "mm/slub.c", 0);
 *			dw_row(d, text, 0x10, 1, 20);
 *			dw_end_sequence(d, text, 0x40);
 *		}
 *		for (DIE(d, subprogram)) {
 *			dw_name(d, "do_work");
 *			dw_code(d, text, 0x10, 0x40);
 *			for (DIE(d, inlined_subroutine)) {
 *				dw_origin(d, "helper");
 *				dw_code(d, text, 0x18, 0x20);
 *				dw_call(d, 1, 22);
 *			}
 *		}
 *		for (DIE(d, subprogram)) {
 *			dw_label(d, "helper");
 *			dw_name(d, "helper");
 *		}
 *	}
 *	dw_finish(d);
 *
 * Attributes of a DIE come before its children; `break`, `continue` and `return` don't belong in
 * these loops. The style says how things are encoded, so that one tree can be written in all ways;
 * it may be changed (d->style) from unit to unit and, but for the version, from DIE to DIE.
 */
#ifndef GEN_DWARFWRITER_H
#define GEN_DWARFWRITER_H

#include <dwarf.h>

#include "elfwriter.h"

/* How dw_ranges() writes, in DWARF 5 / before. */
enum dw_range_style {
	DW_RANGES_ADDRESSES,    /* start_end / pairs of addresses */
	DW_RANGES_LENGTHS,      /* start_length / the same as ADDRESSES */
	DW_RANGES_BASE,         /* base_address, offset_pair / base selection, offsets */
	DW_RANGES_UNIT,         /* offset_pair, from the unit's low_pc / offsets */
	DW_RANGES_INDEX,        /* startx_endx */
	DW_RANGES_INDEX_LENGTH, /* startx_length */
	DW_RANGES_INDEX_BASE,   /* base_addressx, offset_pair */
};

/* How dw_row() writes. */
enum dw_row_style {
	DW_ROWS_SPECIAL,  /* special opcodes where they reach, const_add_pc before */
	DW_ROWS_STANDARD, /* advance_pc, advance_line, copy */
	DW_ROWS_FIXED,    /* fixed_advance_pc */
	DW_ROWS_ADDRESS,  /* set_address for each */
};

/* Zeros mean the defaults. */
struct dw_style {
	unsigned version; /* 2 to 5; default 4 */
	bool dwarf64;
	bool aranges;          /* what dw_code() and dw_ranges() say of a unit goes there too */
	bool siblings;         /* DW_AT_sibling where there are children */
	bool shared_abbrevs;   /* one table for all units that say so */
	bool wide_codes;       /* abbreviation codes padded to 3 bytes */
	bool no_bases;         /* DW_AT_str_offsets_base and its like are left out */
	bool bases_first;      /* they are the unit's first attributes, else its last */
	uint32_t string_form;  /* default DW_FORM_string */
	uint32_t address_form; /* default DW_FORM_addr */
	uint32_t high_pc_form; /* default: DW_FORM_addr before DWARF 4, then udata */
	uint32_t ref_form;     /* default DW_FORM_ref4 */
	uint32_t ranges_form;  /* default: a section offset; else DW_FORM_rnglistx */
	enum dw_range_style ranges;
	enum dw_row_style rows;
	/* Line tables: */
	uint32_t path_form;  /* DWARF 5's; default DW_FORM_line_strp */
	bool path_extras;    /* DWARF 5: MD5, size, time and a vendor's block beside each path */
	uint8_t min_insn;    /* default 1 */
	int8_t line_base;    /* default -5 */
	uint8_t line_range;  /* default 14 */
	uint8_t opcode_base; /* default 13; up to 16, the opcodes above 12 take one operand */
};

struct dw_range {
	const struct ew_section *section;
	uint64_t start, end;
};

/* An entry of a range list. `a` and `b` are offsets in the section where they are addresses. Before
 * DWARF 5 there are DW_RLE_start_end, _base_address and _offset_pair. */
struct dw_entry {
	uint8_t kind; /* DW_RLE_*; the end comes by itself */
	const struct ew_section *section;
	uint64_t a, b;
};

struct dw_private;

struct dw {
	struct ew *elf;
	struct dw_style style;
	struct ew_section *info; /* of the unit now: .debug_info or .debug_types */
	size_t unit;             /* where it starts there */
	struct dw_private *priv;
};

struct dw *dw_new(struct ew *f, const struct dw_style *style);
/* Fills in what refers to labels: once, after everything, and before ew_finish(). */
void dw_finish(struct dw *d);
void dw_free(struct dw *d);

/* ---- units and DIEs ---- */

/* compile, partial, type, skeleton. */
#define UNIT(d, type)                  \
	dw_unit_open(d, DW_UT_##type); \
	dw_unit_inside(d);
#define DIE(d, tag)               \
	dw_open(d, DW_TAG_##tag); \
	dw_inside(d);

void dw_unit_open(struct dw *d, uint8_t type);
bool dw_unit_inside(struct dw *d);
void dw_open(struct dw *d, uint32_t tag);
bool dw_inside(struct dw *d);

/* A name for the DIE, for references from anywhere. */
void dw_label(struct dw *d, const char *label);
/* Offset in .debug_info, of a label that has been. */
uint64_t dw_offset(const struct dw *d, const char *label);
/* What a type unit is for; what DW_FORM_ref_sig8 holds. Of a skeleton, its dwo_id. Before the unit.
 */
void dw_signature(struct dw *d, uint64_t signature);

/* ---- attributes, in the style's forms ---- */

void dw_name(struct dw *d, const char *name);
void dw_string(struct dw *d, uint32_t at, const char *text);
/* low_pc and high_pc. */
void dw_code(struct dw *d, const struct ew_section *section, uint64_t start, uint64_t end);
void dw_address(struct dw *d, uint32_t at, const struct ew_section *section, uint64_t offset);
void dw_ranges(struct dw *d, size_t n, const struct dw_range *ranges);
#define RANGES(d, ...)                                                                   \
	dw_ranges(d, sizeof((struct dw_range[]){__VA_ARGS__}) / sizeof(struct dw_range), \
		(struct dw_range[]){__VA_ARGS__})
void dw_ref(struct dw *d, uint32_t at, const char *label);
void dw_origin(struct dw *d, const char *label); /* DW_AT_abstract_origin */
void dw_call(struct dw *d, uint64_t file, uint64_t line);
void dw_flag(struct dw *d, uint32_t at);

/* ---- attributes, in any form ---- */

/* The forms that hold a number, flags, and whatever indexes or offsets by hand. */
void dw_number(struct dw *d, uint32_t at, uint32_t form, uint64_t value);
void dw_string_as(struct dw *d, uint32_t at, uint32_t form, const char *text);
void dw_address_as(struct dw *d, uint32_t at, uint32_t form, const struct ew_section *section,
	uint64_t offset);
void dw_ref_as(struct dw *d, uint32_t at, uint32_t form, const char *label);
/* block, block1, ..., exprloc, data16 */
void dw_block(struct dw *d, uint32_t at, uint32_t form, const void *data, size_t len);
/* DW_FORM_indirect, then the number in the form. */
void dw_indirect(struct dw *d, uint32_t at, uint32_t form, uint64_t value);
/* Into a supplementary file: DW_FORM_GNU_ref_alt, ref_sup4, ref_sup8; GNU_strp_alt, strp_sup. Its
 * label has been. */
void dw_ref_sup(struct dw *d, uint32_t at, uint32_t form, struct dw *sup, const char *label);
void dw_string_sup(struct dw *d, uint32_t at, uint32_t form, struct dw *sup, const char *text);
void dw_range_list(struct dw *d, size_t n, const struct dw_entry *entries);
#define RANGE_LIST(d, ...)                                                                   \
	dw_range_list(d, sizeof((struct dw_entry[]){__VA_ARGS__}) / sizeof(struct dw_entry), \
		(struct dw_entry[]){__VA_ARGS__})
/* Just says that there is one: what follows goes to d->info by hand. */
void dw_attribute(struct dw *d, uint32_t at, uint32_t form, int64_t implicit);

/* A tuple of .debug_aranges for the unit now. */
void dw_arange(struct dw *d, const struct ew_section *section, uint64_t start, uint64_t end);

/* ---- line tables ---- */

/* In a unit, before its children: DW_AT_stmt_list and its table. */
#define LINES(d)          \
	dw_lines_open(d); \
	dw_lines_inside(d);

void dw_lines_open(struct dw *d);
bool dw_lines_inside(struct dw *d);
/* Another unit's table, the last that was written. */
void dw_lines_again(struct dw *d);

/* Directories, then files, then rows. DWARF 5 counts both from 0, and the directory 0 is that of
 * the compilation; earlier ones from 1. */
void dw_dir(struct dw *d, const char *path);
void dw_file(struct dw *d, const char *path, uint64_t dir);
/* DWARF 5: directory 0 and file 0; before, nothing. So what follows is numbered from 1 in all. */
void dw_primary(struct dw *d, const char *comp_dir, const char *path);
void dw_row(struct dw *d, const struct ew_section *section, uint64_t offset, uint64_t file,
	uint64_t line);
void dw_end_sequence(struct dw *d, const struct ew_section *section, uint64_t offset);
/* Opcodes by hand: their operands go to the section that is returned. A row that follows one by
 * dw_row() should begin a sequence. */
struct ew_section *dw_opcode(struct dw *d, uint8_t opcode);
struct ew_section *dw_extended(struct dw *d, uint8_t opcode, uint64_t len);
void dw_set_address(struct dw *d, const struct ew_section *section, uint64_t offset);

#endif
