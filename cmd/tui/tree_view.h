/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the views of call trees share. */
#ifndef SMTOOL_TUI_TREE_VIEW_H
#define SMTOOL_TUI_TREE_VIEW_H

#include "browser.h"
#include "tree_rows.h"

struct tree_view {
	struct view view;
	enum sm_tree_kind kind;
	char *function;        /* whose callers and callees it shows; NULL = it is a tree of all */
	struct forest *forest; /* NULL = not there yet */
	struct tree_rows rows;
	bool placed; /* the function was put into the middle of the screen */
};

/* Fills what a forest is made for: what is shown, compared with the mark, or the new one of two
 * inputs with the old one. Borrowed. False while there is no reading. */
bool forest_plan_now(const struct browser *b, const struct narrow *narrow, struct forest_plan *p);

/* Opens the page of the stack that the job found, or the code around its frame; on top of the view.
 */
void forest_show_stack(const struct view *view, const struct forest *f, const struct forest_job *j);

/* tree_draw.c */
void tree_draw(struct view *view, const struct area *area);
/* "+1.5 MiB", "-3"; "=" where it is nothing. */
void delta_text(const struct browser *b, uint64_t now, uint64_t old, struct sm_buf *text);

/* tree_saver.c: text of the nodes, as they are shown (copied, but of the forest, which lives until
 * what is posted later is done), or all as JSON; as SVG a flame graph. */
struct saver *tree_saver_new(const struct forest *f, const struct tree_row *rows, size_t n,
	enum save_format format, const char **why);

#endif
