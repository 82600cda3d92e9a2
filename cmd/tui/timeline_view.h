/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the timeline's view share. */
#ifndef SMTOOL_TUI_TIMELINE_VIEW_H
#define SMTOOL_TUI_TIMELINE_VIEW_H

#include <smtool/plot.h>

#include "browser.h"

#define TIMELINE_ROWS 50 /* of a moment */

/* What was live at a moment, or happened in a column: its largest stacks. Let go of by
 * browser_drop(). */
struct moment {
	uint64_t from, to; /* ns; from UINT64_MAX = it is a moment, `to` */
	enum sm_metric by;
	struct reading *reading; /* held */
	struct sm_table *table;
	uint32_t *tell; /* per row, the frame that tells it apart */
};

struct timeline_view {
	struct view view;
	enum sm_metric by;     /* what is plotted */
	struct course *course; /* NULL = not there yet */
	struct moment *moment;
	size_t point; /* of the cursor */
	bool placed;  /* it was put there */
	/* When it was last drawn: */
	struct area plot; /* where the columns are */
	size_t per, wide, columns;
};

/* For plots. */
struct sm_timeline_view timeline_shown(const struct timeline_view *v);
/* The points of the cursor's column. */
void timeline_column(const struct timeline_view *v, size_t *first, size_t *n);
/* Its moment, *to: its end, or the peak where that is in it. Of what is told per interval, what
 * happened after *from and up to *to; else *from is UINT64_MAX. */
void timeline_span(const struct timeline_view *v, uint64_t *from, uint64_t *to);
/* The moment is the cursor's. */
bool timeline_has_moment(const struct timeline_view *v);

/* timeline_draw.c */
void timeline_draw(struct timeline_view *v, const struct area *area);

/* ---- timeline_job.c ---- */

struct course_job {
	struct view_job base; /* its reading: the whole, or NULL = it is to be counted */
	struct side *side;
	struct question *question;   /* held: of the whole */
	const struct narrow *narrow; /* held */
	enum sm_metric by;
	struct course *course;
};
struct course_job *course_job_new(
	struct side *side, struct question *whole, const struct narrow *narrow, enum sm_metric by);
void course_job_free(struct course_job *j);

struct moment_job {
	struct view_job base; /* its reading: what was counted already, or NULL */
	struct side *side;
	struct question *question;   /* held */
	const struct narrow *narrow; /* held */
	struct moment *moment;
};
/* Takes the question over. */
struct moment_job *moment_job_new(struct side *side, struct question *q,
	const struct narrow *narrow, enum sm_metric by, uint64_t from, uint64_t to);
void moment_job_free(struct moment_job *j);
void moment_free(void *moment);

struct saver *timeline_saver_new(
	struct reading *whole, const struct narrow *narrow, enum sm_metric by, bool utf8);

#endif
