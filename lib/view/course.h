/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the ways to write a timeline share. */
#ifndef SM_VIEW_COURSE_H
#define SM_VIEW_COURSE_H

#include <smtool/plot.h>

void sm_timeline_text(const struct sm_timeline_view *view, const struct sm_timeline_style *style,
	struct sm_out *out);
void sm_timeline_json(const struct sm_timeline_view *view, const struct sm_timeline_style *style,
	struct sm_out *out);
void sm_timeline_jsonl(const struct sm_timeline_view *view, const struct sm_timeline_style *style,
	struct sm_out *out);
void sm_timeline_csv(const struct sm_timeline_view *view, const struct sm_timeline_style *style,
	struct sm_out *out);
void sm_timeline_svg(const struct sm_timeline_view *view, const struct sm_timeline_style *style,
	struct sm_out *out);

/* Short names that tell the series apart: of a stack, its innermost function and the first one that
 * others don't have in common with it. Unique; bytes as they came, for who writes them to make
 * visible. */
struct series_names {
	char **items;
	char (*keys)[20]; /* stack_key, "" = none */
	size_t n;         /* series; 0 = not divided */
};

/* A lack of memory is the output's error: then there are none. */
void series_names_make(
	struct series_names *names, const struct sm_timeline_view *view, struct sm_out *out);
void series_names_release(struct series_names *names);

/* The series' value at the point. */
static inline uint64_t series_value(const struct sm_timeline *t, size_t series, size_t point)
{
	return t->values[series * t->n + point];
}

/* ---- course_notes.c: what must be said of any of them ---- */

/* A rate's value for each second (or minute, hour: where they are few), else the value itself. */
uint64_t course_scaled(const struct sm_timeline_view *view, uint64_t value, uint64_t ns);
/* Of an interval, ns, for what is told of a second. The last one may be shorter: it is less then.
 */
uint64_t course_length(const struct sm_timeline *t);
/* When, or in what, the rows weigh what is said of them, and all of them together. */
const char *course_when(const struct sm_timeline_view *view);
uint64_t course_whole(const struct sm_timeline_view *view);
/* "/s", or "" */
const char *course_suffix(const struct sm_timeline_view *view);
/* 1.234567; with ns where the intervals need them */
void course_seconds(const struct sm_timeline_view *view, uint64_t ns, struct sm_buf *buf);
/* What the horizontal axis counts, and from where. */
void course_origin_text(const struct sm_timeline_view *view, struct sm_buf *buf);
/* Where what is live begins. */
void course_baseline_text(const struct sm_timeline_view *view, struct sm_buf *buf);
/* That other rows would tell more. */
void course_others_text(const struct sm_timeline_view *view, struct sm_buf *buf);
/* The honesty line. */
void course_health_text(const struct sm_timeline_view *view, struct sm_buf *buf);

#endif
