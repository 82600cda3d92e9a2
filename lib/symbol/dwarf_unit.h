/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the DWARF reader share: sections, units, forms. */
#ifndef SMTOOL_SYMBOL_DWARF_UNIT_H
#define SMTOOL_SYMBOL_DWARF_UNIT_H

#include "dwarf.h"

/* Origins in the supplementary file have this bit. */
#define DWARF_ALT (UINT64_C(1) << 63)

struct dwarf_section {
	const uint8_t *data; /* NULL = there is none */
	size_t len;
};

/* A reader that can't leave its bounds: past the end it gives 0 and sets `bad`. */
struct dwarf_bytes {
	const uint8_t *p, *end;
	bool swap, bad;
};

static inline uint64_t dwarf_u(struct dwarf_bytes *b, unsigned size)
{
	const uint8_t *p = b->p;

	if ((size_t)(b->end - p) < size) {
		b->bad = true;
		b->p = b->end;
		return 0;
	}
	b->p += size;
	switch (size) {
	case 1:
		return *p;
	case 2:
		return sm_load16(p, b->swap);
	case 4:
		return sm_load32(p, b->swap);
	case 8:
		return sm_load64(p, b->swap);
	}
	b->bad = true;
	return 0;
}

/* What doesn't fit in 64 bits is cut. */
static inline uint64_t dwarf_uleb(struct dwarf_bytes *b)
{
	uint64_t v = 0;

	for (unsigned shift = 0; b->p < b->end; shift += 7) {
		uint8_t byte = *b->p++;

		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return v;
	}
	b->bad = true;
	return 0;
}

static inline int64_t dwarf_sleb(struct dwarf_bytes *b)
{
	uint64_t v = 0;
	unsigned shift = 0;

	while (b->p < b->end) {
		uint8_t byte = *b->p++;

		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (!(byte & 0x80)) {
			if (shift < 64 && (byte & 0x40))
				v |= ~UINT64_C(0) << shift;
			return (int64_t)v;
		}
	}
	b->bad = true;
	return 0;
}

/* The sections of one file. */
struct dwarf_file {
	struct object *obj;
	bool swap;
	struct dwarf_section info, abbrev, str, line, line_str, ranges, rnglists, addr, str_offsets,
		aranges;
	struct dwarf_tables *tables; /* what was parsed of .debug_abbrev */
};

struct dwarf_abbrevs; /* a table of .debug_abbrev, parsed once */

struct dwarf_unit {
	const struct dwarf_file *file;
	uint64_t offset; /* of the unit in .debug_info; as is what follows */
	uint64_t root;   /* of its first DIE */
	uint64_t end;
	uint64_t abbrev_offset;
	uint32_t table; /* in file->tables */
	uint16_t version;
	uint8_t type; /* DW_UT_* */
	uint8_t addr_size, offset_size;
	/* Of the root DIE, once sm_dwarf_unit_load() succeeded. */
	bool loaded;
	uint16_t tag;      /* the first of these */
	uint16_t language; /* DW_LANG_*, 0 = unknown */
	bool has_line, has_ranges, has_low_pc;
	uint64_t children;        /* offset of the first child; 0 = it has none */
	uint64_t stmt_list;       /* in .debug_line */
	uint64_t low_pc, high_pc; /* high_pc 0 = unknown */
	uint64_t ranges;          /* offset in .debug_ranges or .debug_rnglists */
	uint64_t str_offsets_base, addr_base, rnglists_base;
	const char *name, *comp_dir; /* NULL = none */
};

struct dwarf {
	struct dwarf_file main, alt; /* alt.obj NULL = there is none */
	struct dwarf_unit *units;    /* of main, in the order of .debug_info */
	size_t nunits;
	const struct sm_log *log;
	struct dwarf_private *priv; /* units of alt, tables of abbreviations, aranges, locks */
};

enum dwarf_kind {
	DWARF_CONSTANT,
	DWARF_ADDRESS,
	DWARF_STRING,
	DWARF_REFERENCE,
	DWARF_OFFSET,
	DWARF_FLAG,
	DWARF_BLOCK,
	DWARF_OTHER
};

struct dwarf_value {
	enum dwarf_kind kind;
	uint64_t u;    /* DWARF_REFERENCE: offset in .debug_info, with DWARF_ALT of the other file;
			  DWARF_OFFSET: in the section that the attribute implies, with the unit's
			  base for DW_FORM_rnglistx applied */
	const char *s; /* DWARF_STRING; NULL where the offset makes no sense */
	const uint8_t *block;
	size_t block_len;
};

/* Reads or skips one attribute's value: what a DIE has, and the entry formats of DWARF 5's line
 * tables. `implicit` is that of DW_FORM_implicit_const. An unknown form sets b->bad. */
void sm_dwarf_form_read(const struct dwarf *d, const struct dwarf_unit *u, struct dwarf_bytes *b,
	uint32_t form, int64_t implicit, struct dwarf_value *v);
void sm_dwarf_form_skip(const struct dwarf_unit *u, struct dwarf_bytes *b, uint32_t form);
/* A NUL-terminated string in a section; NULL where it isn't one. */
const char *sm_dwarf_string(const struct dwarf_section *section, uint64_t offset);
/* Reads the root DIE, once; safe to be called by several threads. */
struct sm_error *sm_dwarf_unit_load(struct dwarf *d, struct dwarf_unit *u) SM_MUST_CHECK;

#endif
