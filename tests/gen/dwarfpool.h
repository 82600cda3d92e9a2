/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of dwarfwriter share. */
#ifndef GEN_DWARFPOOL_H
#define GEN_DWARFPOOL_H

#include "dwarfwriter.h"
#include "elflayout.h"

#define DW_MAX_ATTRIBUTES 48
#define DW_MAX_DEPTH 256

struct dw_abbrev {
	uint32_t tag;
	bool children;
	unsigned n;
	struct {
		uint32_t at, form;
		int64_t implicit;
	} attributes[DW_MAX_ATTRIBUTES];
};

struct dw_abbrevs {
	struct dw_abbrev *items;
	size_t n, cap;
};

/* A DIE whose children are being written. */
struct dw_frame {
	size_t start; /* in d->info */
	struct dw_abbrev abbrev;
	bool entered, closed_head; /* the code of its abbreviation is known */
	size_t sibling;            /* where the value is, 0 = has none */
};

struct dw_place {
	char *label;
	struct ew_section *section;
	uint64_t offset;
};

/* A reference that waits for its label. */
struct dw_wait {
	struct ew_section *section;
	size_t at, unit;
	uint32_t form;
	unsigned size;
	char *label;
};

struct dw_list {
	struct dw_entry *entries;
	size_t n;
	struct ew_section *section; /* where its offset is to be put; NULL = nowhere */
	size_t at;
};

struct dw_address {
	const struct ew_section *section;
	uint64_t offset;
};

/* A base attribute in the unit's root that waits for the unit's end. */
struct dw_base {
	bool wanted;
	size_t at; /* in d->info, 0 = there is no attribute */
};

struct dw_private {
	struct dw_frame *frames;
	size_t depth;
	struct dw_abbrevs unit_abbrevs, shared_abbrevs;
	struct {
		struct ew_section *section;
		size_t at;
		unsigned size;
	} * shared_users;
	size_t nshared_users, shared_users_cap;
	struct dw_place *places;
	size_t nplaces, places_cap;
	struct dw_wait *waits;
	size_t nwaits, waits_cap;
	uint64_t signature;
	size_t type_offset_at;

	/* Of the unit now: */
	uint8_t unit_type;
	struct dw_style unit_style;
	struct dw_base str_offsets, addr, rnglists;
	uint64_t *strings;
	size_t nstrings, strings_cap;
	struct dw_address *addresses;
	size_t naddresses, addresses_cap;
	struct dw_list *lists;
	size_t nlists, lists_cap;
	struct dw_range *aranges;
	size_t naranges, aranges_cap;
	bool has_low_pc;
	struct dw_address low_pc;

	/* The line table now: */
	bool lines_entered, in_program, in_sequence;
	size_t lines_start, length_at, header_length_at;
	uint64_t last_lines;
	char **dirs;
	size_t ndirs, dirs_cap;
	struct {
		char *path;
		uint64_t dir;
	} * files;
	size_t nfiles, files_cap;
	const struct ew_section *row_section;
	uint64_t row_offset, row_file, row_line;
};

unsigned dw_offset_size(const struct dw *d);
unsigned dw_word(const struct dw *d);
/* An initial length, to be patched when its end is known; returns where. */
size_t dw_length_open(struct dw *d, struct ew_section *s);
void dw_length_close(struct dw *d, struct ew_section *s, size_t at);
struct dw_frame *dw_frame(struct dw *d);
bool dw_at_root(const struct dw *d);
/* Indexes in what the unit's end writes. */
uint64_t dw_pool_string(struct dw *d, const char *text);
uint64_t dw_pool_address(struct dw *d, const struct ew_section *section, uint64_t offset);
/* Offset of a text in a section of texts. */
uint64_t dw_text(struct dw *d, const char *section, const char *text);

/* poolwriter.c: what follows from a unit, at its end. */
void dw_pools_write(struct dw *d);

#endif
