/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the code view share. */
#ifndef SMTOOL_TUI_CODE_VIEW_H
#define SMTOOL_TUI_CODE_VIEW_H

#include "cells.h"
#include "code_job.h"

enum code_kind {
	CODE_BLANK,
	CODE_FILE,    /* of line a of the chain: which function and file, and where it was found */
	CODE_TEXT,    /* line b of that file */
	CODE_NOTHING, /* there is no source of line a of the chain, and why */
	CODE_HEAD,    /* of the instructions */
	CODE_NOTE,    /* from byte a on, b of them, of the notes: what isn't there, and why */
	CODE_PLACE,   /* which line instruction a and those below it are of */
	CODE_INSN,    /* instruction a */
};

struct code_line {
	enum code_kind kind;
	uint32_t a, b;
};

#define CODE_STEPS 4 /* how much is shown: from a screen to all that there is */

struct code_view {
	struct view view;
	struct side *side;
	uint64_t *ips;
	uint32_t depth, at;
	unsigned step;     /* 0 to CODE_STEPS - 1 */
	struct code *code; /* NULL = not there yet */
	bool had_symbols;  /* when it was asked for */
	bool placed;       /* the cursor was put where the call is */
	struct code_line *lines;
	size_t nlines, cap;
	struct sm_buf notes;
	int width;  /* that the notes are broken for */
	int digits; /* of line numbers */
};

/* Makes the lines anew. When memory is short there are less. */
void code_lines_make(struct code_view *v, int width);
void code_line_cells(const struct code_view *v, const struct code_line *line, struct cells *c);
/* The line of the call: in the source, or among the instructions; SIZE_MAX = there is none. */
size_t code_lines_call(const struct code_view *v, bool insn);
/* The two lines above all: which frame it is, and what is beside it. */
void code_frame_cells(const struct code_view *v, struct cells *c);
void code_beside_cells(const struct code_view *v, struct cells *c);

#endif
