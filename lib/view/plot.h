/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A timeline as columns of characters. */
#ifndef SM_VIEW_PLOT_H
#define SM_VIEW_PLOT_H

#include "course.h"

#define PLOT_LABEL 12 /* columns left of the vertical axis */

struct plot {
	struct sm_plot data;
	const struct sm_timeline_view *view;
	const struct sm_timeline_style *style;
	struct sm_out *out;
	const struct series_names *names;
	uint64_t *levels; /* of a column: where each series ends, in eighths of a row */
	struct sm_buf scratch;
	bool beyond; /* something was reached in between, and shows */
};

/* False when memory is short. plot_release() in any case. */
bool plot_init(struct plot *p, const struct sm_timeline_view *view,
	const struct sm_timeline_style *style, const struct series_names *names,
	struct sm_out *out);
void plot_release(struct plot *p);
/* The lines of the plot, the axis with its times, and the mark of the peak. */
void plot_draw(struct plot *p);

/* The character of a series, with its colour. */
void plot_fill(const struct plot *p, size_t series);
void plot_color(const struct plot *p, const char *sgr);
const char *plot_gap_mark(const struct plot *p);
const char *plot_beyond_mark(const struct plot *p);

#endif
