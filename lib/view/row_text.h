/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What texts with a column of figures beside call paths are made of. */
#ifndef SM_VIEW_ROW_TEXT_H
#define SM_VIEW_ROW_TEXT_H

#include "fragments.h"

#define VALUE_WIDTH 12
#define PERCENT_WIDTH 8

/* Zero-initialise, but for the first two; row_text_release() in any case. */
struct row_text {
	const struct sm_style *style;
	struct sm_out *out;
	struct sm_buf scratch; /* the cell that is being made */
};

/* Begins a colour (an SGR parameter); "0" ends it. */
void row_text_color(struct row_text *t, const char *sgr);
/* Writes the cell, right-aligned. */
void row_text_cell(struct row_text *t, size_t width);
/* Adds to the cell: a number of bytes, or of other things; a share, "-" where the whole is 0. */
void row_text_value(struct row_text *t, bool bytes, uint64_t value);
void row_text_percent(struct row_text *t, uint64_t part, uint64_t whole);
/* Writes the frames of a stack, a line each, all but the first behind `indent` blanks. */
void row_text_frames(struct row_text *t, struct fragments *fragments, const uint64_t *ips,
	uint32_t depth, size_t indent);
/* Writes a group's name and a line end. A call site is an address too, whose place in the source is
 * worth more than its offset; 0 = none. */
void row_text_label(struct row_text *t, struct fragments *fragments, const char *label,
	uint64_t call_site, size_t indent);
/* Writes the honesty line, behind what the cell holds. */
void row_text_honesty(struct row_text *t, const struct sm_profile *profile, enum sm_metric by);
/* What a column of the groups is called. */
const char *row_text_group(enum sm_group group, enum sm_attr attr);
void row_text_release(struct row_text *t);

#endif
