/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plot: a timeline as so many columns, with round axes: what a screen of characters draws. Part of
 * room view.
 */
#ifndef SMTOOL_PLOT_H
#define SMTOOL_PLOT_H

#include <smtool/view.h>

struct sm_plot_column {
	uint64_t value; /* scaled, as `max`; of what is live, at the column's end */
	uint64_t max;   /* reached in between */
	size_t point;   /* its last one */
	size_t npoints;
	uint64_t ns;
	bool gap;
};

/* Read-only to users. */
struct sm_plot {
	const struct sm_timeline_view *view; /* borrowed */
	struct sm_plot_column *columns;
	size_t n;
	size_t per, wide;   /* points of a column, or columns of a point: one of them is 1 */
	uint64_t top, step; /* of the vertical axis: its end, and between two labels */
	bool gaps;          /* events are missing in some column */
};

/* Of `columns` x `rows` characters. False when memory is short; sm_plot_release() in any case. The
 * timeline has points. */
bool sm_plot_init(struct sm_plot *plot, const struct sm_timeline_view *view, size_t columns,
	unsigned rows) SM_MUST_CHECK;
void sm_plot_release(struct sm_plot *plot);
/* How high a value is, in eighths of one of `rows` rows, rounded to whole rows with `whole`. What
 * isn't nothing shows. */
uint64_t sm_plot_height(const struct sm_plot *plot, uint64_t value, unsigned rows, bool whole);
/* The column of a moment, in ns of the trace clock; of a point. */
size_t sm_plot_column_at(const struct sm_plot *plot, uint64_t ts);
size_t sm_plot_column_of(const struct sm_plot *plot, size_t point);
/* Appends the label at the upper edge of a row, from 0 at the bottom; false where it has none. */
bool sm_plot_label(const struct sm_plot *plot, uint64_t row, unsigned rows, struct sm_buf *text);
/* The ns between two labels of the horizontal axis, as many as have room, and such a label. */
uint64_t sm_plot_time_step(const struct sm_plot *plot);
void sm_plot_time_label(
	const struct sm_plot *plot, uint64_t since, uint64_t step, struct sm_buf *text);

/* ---- what must be said of a timeline, however it is drawn ---- */

/* A value as the axis has it: "1.5 MiB", "12 M/s" */
void sm_timeline_value_text(
	const struct sm_timeline_view *view, uint64_t value, struct sm_buf *text);
/* +1.234567 s (12.345678) */
void sm_timeline_time_text(const struct sm_timeline_view *view, uint64_t ts, struct sm_buf *text);
/* peak VALUE at TIME */
void sm_timeline_peak_text(const struct sm_timeline_view *view, struct sm_buf *text);
/* What is uncertain, and from where on: nothing where all is well. */
void sm_timeline_loss_text(const struct sm_timeline_view *view, struct sm_buf *text);

#endif
