/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the view of rows share. */
#ifndef SMTOOL_TUI_ROWS_VIEW_H
#define SMTOOL_TUI_ROWS_VIEW_H

#include "rows_job.h"

#define VALUE_COLUMNS 11
#define PERCENT_COLUMNS 8

struct rows_view {
	struct view view;
	enum sm_group group;
	enum sm_attr attr;
	bool cumulative;   /* functions are ranked by it */
	struct rows *rows; /* NULL = not there yet */
	int bar;           /* columns of it, 0 = none */
};

/* rows_stack.c: a row's stack in one line, scrolled by `shift` columns behind its first frame. */
void stack_draw(struct browser *b, struct side *side, const struct sm_table_row *row, uint32_t tell,
	int shift, struct pen *pen);
/* Likewise: a stack in one line, of which `tell` is the frame that tells it apart. */
void rows_draw_stack(
	const struct rows_view *v, const struct sm_table_row *row, uint32_t tell, struct pen *pen);
/* Opens what is behind a row. */
void rows_enter_stack(struct rows_view *v, const struct sm_table_row *row);
void rows_enter_function(struct rows_view *v, const struct sm_table_row *row);
/* The row's call site; false where it has none. */
bool rows_place(struct rows_view *v, const struct sm_table_row *row, struct place *place);
/* Callers and callees of the function that the row is, or begins with. */
void rows_peek(struct rows_view *v, const struct sm_table_row *row);

#endif
