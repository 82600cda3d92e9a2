/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the code map's builder share. */
#ifndef SMTOOL_SYMBOL_CODE_BUILDER_H
#define SMTOOL_SYMBOL_CODE_BUILDER_H

#include "code_map.h"
#include "dwarf_line.h"
#include "key_table.h"

/* What a function, or lines of no function, have without a gap. */
struct code_piece {
	uint32_t start, end; /* relative to the base */
	uint32_t first, n;   /* segments of the part */
	uint32_t unit;
	bool function;
};

/*
 * What one builder has collected. In its segments and scopes, `file` and `name` are ids in `files`
 * and `names`, plus 1; 0 = unknown. A piece's last segment goes to its end.
 */
struct code_part {
	struct code_segment *segments;
	size_t nsegments, segments_cap;
	struct code_piece *pieces;
	size_t npieces, pieces_cap;
	struct code_scope *scopes;
	size_t nscopes, scopes_cap;
	const char **names; /* as long as the file is mapped */
	size_t nnames, names_cap;
	struct sm_strings files;
	uint64_t outside; /* ranges that aren't in reach of the base */
	uint64_t refused; /* scopes and files beyond what a map can hold */
};

/* A range of something inlined, relative to the base. */
struct code_mark {
	uint32_t start, end;
	uint32_t scope; /* of the unit */
};

/* From here on this scope is the innermost. */
struct code_edge {
	uint32_t start;
	uint32_t scope; /* of the unit */
};

struct code_builder {
	struct dwarf *dwarf;
	const struct sm_log *log;
	uint64_t base;
	struct code_part part;
	struct code_part *merged; /* other builders' */
	size_t nmerged, merged_cap;

	/* Kept from unit to unit. */
	struct key_table names; /* pointers to ids */
	struct key_table dirs;  /* pairs of directories to numbers, */
	struct key_table files; /* these and names, to files */
	struct sm_buf path;

	/* Of the unit that is being added. */
	uint32_t unit;
	const uint64_t *wanted;
	size_t nwanted;
	struct line_table table;
	struct dwarf_rows rows;
	struct dwarf_scopes scopes;
	/* By the unit's numbers of scopes. */
	struct code_scope_work {
		uint32_t id;       /* in the part, plus 1; 0 = not yet */
		uint32_t root;     /* its function */
		uint32_t on_stack; /* place on the stack, plus 1 */
		uint32_t count;    /* of a function: how many scopes it is the root of */
	} * work;
	uint32_t *order; /* scopes, functions one after the other */
	size_t work_cap, order_cap;
	uint32_t *file_ids; /* by the unit's numbers, plus 1; 0 = not yet, 1 = there is none */
	size_t file_ids_cap, nfile_ids;
	struct key_table origins; /* to names */
	struct key_table inlined; /* parent and name, file and line, to scopes */
	struct key_table pieces;  /* start and end of functions' */
	uint64_t budget;          /* how many segments may still come */

	/* Of the function that is being added. */
	struct code_mark *marks, *own; /* what is inlined; the function itself */
	size_t nmarks, marks_cap, own_cap;
	uint64_t *keys, *spare_keys;
	size_t keys_cap, spare_keys_cap;
	struct code_mark *stack; /* `start` unused */
	size_t stack_cap;
	struct code_edge *edges;
	size_t nedges, edges_cap;
	uint32_t *chain;
	size_t chain_cap;

	/* Once finished. */
	struct code_segment *segments;
	struct code_scope *map_scopes;
	struct sm_buf strings;
};

/* False when memory is short, as all that follow. */
bool sm_code_sort_keys(struct code_builder *b, size_t n);
/* Makes pieces of a function and what is inlined into it: n scopes of the unit, parents before
 * children. */
bool sm_code_add_function(struct code_builder *b, const uint32_t *scopes, size_t n);
/* Makes pieces of the rows that no piece from `first` on covers. */
bool sm_code_add_lines(struct code_builder *b, size_t first_piece);
/* The ids of a scope and a file of the unit, as segments have them. */
bool sm_code_scope_id(struct code_builder *b, uint32_t scope, uint32_t *id);
bool sm_code_file_id(struct code_builder *b, uint32_t file, uint32_t *id);
void sm_code_part_release(struct code_part *part);

#endif
