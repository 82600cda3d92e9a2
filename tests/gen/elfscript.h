/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of mkelf share: a script read into sections and code, and a tree of functions from
 * which the debug information is written. See README.md.
 */
#ifndef GEN_ELFSCRIPT_H
#define GEN_ELFSCRIPT_H

#include "dwarfwriter.h"
#include "gen.h"

struct elf_row {
	struct ew_section *section;
	uint64_t offset;
	unsigned file; /* 1 = the first; 0 = the sequence ends here */
	uint64_t line;
};

/* A function, or one that is inlined into its parent. */
struct elf_scope {
	char *name;
	struct elf_scope **children;
	size_t nchildren, children_cap;
	struct dw_range *parts;
	size_t nparts, parts_cap;
	unsigned call_file;
	uint64_t call_line;
	bool no_die;
};

struct elf_unit {
	char *file, *dir;
	struct elf_scope root; /* its children are the functions */
	char **files;
	size_t nfiles, files_cap;
	struct elf_row *rows;
	size_t nrows, rows_cap;
};

struct elf_name {
	char *name;
	struct ew_section *section; /* NULL = absolute */
	uint64_t offset, size;
	uint32_t symbol; /* 0 = a label */
	bool global, code;
};

struct elf_call {
	struct ew_section *section;
	uint64_t offset;
	char *name;
	unsigned line;
};

struct elf_patch {
	char *section;
	uint64_t offset;
	struct text bytes;
	unsigned line;
};

struct elf_script {
	struct gen *g; /* for words and numbers */
	struct ew *elf;
	struct dw_style style;
	bool has_style, hollow, strip;
	enum ew_compression compression;
	struct text build_id;
	struct elf_unit **units;
	size_t nunits, units_cap;
	struct elf_name *names;
	size_t nnames, names_cap;
	struct elf_call *calls;
	size_t ncalls, calls_cap;
	struct elf_patch *patches;
	size_t npatches, patches_cap;
};

void elf_script_read(struct elf_script *s, FILE *f);
const struct elf_name *elf_script_find(const struct elf_script *s, const char *name);

/* dietree.c: calls get their targets, the debug information is written. Once. */
void elf_script_link(struct elf_script *s);

#endif
