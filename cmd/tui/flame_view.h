/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the flame view share. */
#ifndef SMTOOL_TUI_FLAME_VIEW_H
#define SMTOOL_TUI_FLAME_VIEW_H

#include "browser.h"
#include "flame_boxes.h"
#include "tree_view.h"

struct flame_view {
	struct view view;
	bool inverted;
	struct forest *forest; /* NULL = not there yet */
	struct nodes zooms;    /* into which it was zoomed, one in the other; the root first */
	struct boxes boxes;
	int width;                    /* that they are laid out for; 0 = they are out of date */
	unsigned asked;               /* columns that boxes were looked for */
	struct sm_tree_node *node;    /* of the chosen box, */
	bool rest;                    /* which is what is narrow below it */
	struct sm_tree_node *through; /* while the code of this is asked for */
	int column;                   /* kept while going up and down */
	size_t first;                 /* the row at the top of the screen */
	int rows;                     /* on it, when it was last drawn, */
	int top;                      /* from that line on */
	/* The search. */
	char *expression;
	uint32_t generation; /* of it, in marks */
	bool telling;        /* what comes of it is to be said */
	bool matched;        /* the sums are known: */
	uint64_t matched_now, matched_old;
};

static inline struct sm_tree_node *flame_zoom(const struct flame_view *v)
{
	return v->zooms.items[v->zooms.n - 1];
}
/* The chosen box; SIZE_MAX = none. */
static inline size_t flame_chosen(const struct flame_view *v)
{
	return boxes_find(&v->boxes, v->node, v->rest);
}
/* Whether it matches the search; asked once for each node. */
bool flame_matches(const struct flame_view *v, struct sm_tree_node *n);

/* flame_draw.c */
void flame_draw(struct flame_view *v, const struct area *area);

#endif
