/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flame_boxes: the nodes below one as boxes, as many columns wide as is their share. */
#ifndef SMTOOL_TUI_FLAME_BOXES_H
#define SMTOOL_TUI_FLAME_BOXES_H

#include "forest_job.h"

struct box {
	struct sm_tree_node *node;
	int x, w;
	uint32_t row; /* below the first node's */
	bool rest;    /* it is those of the node's children, from `from` on, that are narrower than
			 a column; or all, which aren't known yet */
	size_t from;
};

struct boxes {
	struct box *items; /* by row, from left to right */
	size_t n, cap;
	size_t *rows; /* where each begins, and the end */
	size_t nrows, rows_cap;
};

/* Lays out what is loaded. False when memory is short: there may be less than all, then. */
bool boxes_lay(struct boxes *b, struct sm_tree_node *top, int width);
void boxes_release(struct boxes *b);
/* The box of a node, or of the rest below it; or of what it is in. SIZE_MAX where there is none. */
size_t boxes_find(const struct boxes *b, const struct sm_tree_node *n, bool rest);
/* The one of a row at that column; SIZE_MAX. */
size_t boxes_at(const struct boxes *b, size_t row, int x);
/* What a box stands for. */
void box_sums(const struct box *box, uint64_t *now, uint64_t *old, size_t *count);

#endif
