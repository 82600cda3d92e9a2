/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of a stack's page share. */
#ifndef SMTOOL_TUI_STACK_VIEW_H
#define SMTOOL_TUI_STACK_VIEW_H

#include "cells.h"
#include "page_job.h"

enum page_kind {
	PAGE_BLANK,
	PAGE_NOTE,    /* that nothing of it is counted now */
	PAGE_FIGURES, /* metrics a to b - 1 of those that are known */
	PAGE_KEY,
	PAGE_IDS,
	PAGE_FRAMES,  /* a heading */
	PAGE_LABEL,   /* it has no frames */
	PAGE_INLINED, /* frame a, its inlined function b, innermost first */
	PAGE_FRAME,
	PAGE_SHARES, /* of attribute a: a heading */
	PAGE_ONE,    /* of attribute a there is just one */
	PAGE_SHARE,  /* row b */
	PAGE_REST,
	PAGE_UNKNOWN, /* why there are none */
	PAGE_AGES,
	PAGE_AGE, /* bucket a */
	PAGE_NO_AGES,
};

struct page_line {
	enum page_kind kind;
	uint32_t a, b;
};

struct stack_view {
	struct view view;
	struct side *side; /* that it was opened for: addresses are of one boot */
	uint32_t stack;
	/* As it is shown now; label NULL where it has frames. */
	uint64_t *ips;
	uint32_t depth;
	char *label;
	/* Figures of the row that it was opened from, until there is a page. */
	uint32_t known;
	uint64_t m[SM_M_NR], totals[SM_M_NR];
	struct page *page; /* NULL = not there yet */
	bool placed;       /* the cursor was put on the first frame */
	unsigned all;      /* bit per share: all rows are shown */
	struct page_line *lines;
	size_t nlines, cap;
	int width;    /* that they were made for, */
	int function; /* columns of functions */
	int bar;      /* columns of bars, 0 = none */
};

/* Makes the lines anew. When memory is short there are less. */
void page_lines_make(struct stack_view *v, int width);
void page_line_cells(const struct stack_view *v, const struct page_line *line, struct cells *c);

#endif
