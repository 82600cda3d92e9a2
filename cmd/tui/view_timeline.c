/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is live over time: a plot to move along, and what it is made of where the cursor is. */
#include <stdlib.h>

#include "rows_view.h"
#include "timeline_view.h"

#define DELAY_NS UINT64_C(120000000) /* that the cursor rests before its moment is counted */
#define COARSE 10                    /* columns that a page is */

static const struct view_ops OPS;

/* What there is a course of, for a key that has none. */
static enum sm_metric plotted(enum sm_metric by)
{
	switch (by) {
	case SM_M_LIVE_COUNT:
	case SM_M_BYTES:
	case SM_M_COUNT:
		return by;
	case SM_M_BYTES_REQ:
	case SM_M_WASTE:
		return SM_M_BYTES;
	case SM_M_FREES:
		return SM_M_COUNT;
	default:
		return SM_M_LIVE_BYTES;
	}
}

struct sm_timeline_view timeline_shown(const struct timeline_view *v)
{
	return (struct sm_timeline_view){
		.timeline = v->course->timeline, .profile = v->course->profile, .by = v->by};
}

static const struct sm_timeline *timeline_of(const struct timeline_view *v)
{
	return v->course ? v->course->timeline : NULL;
}

void timeline_column(const struct timeline_view *v, size_t *first, size_t *n)
{
	const struct sm_timeline *t = timeline_of(v);
	size_t per = v->per ? v->per : 1;

	*first = v->point / per * per;
	*n = t->n - *first < per ? t->n - *first : per;
}

static size_t point_at(const struct sm_timeline *t, uint64_t ts)
{
	uint64_t i = ts > t->from ? (ts - t->from - 1) / t->interval : 0;

	return !t->n ? 0 : i < t->n ? (size_t)i : t->n - 1;
}

void timeline_span(const struct timeline_view *v, uint64_t *from, uint64_t *to)
{
	const struct sm_timeline *t = timeline_of(v);
	struct sm_timeline_peak peak = sm_timeline_peak(t, v->by);
	size_t first, n, at = point_at(t, peak.ts);

	timeline_column(v, &first, &n);
	*to = t->points[first + n - 1].ts;
	*from = UINT64_MAX;
	if (sm_timeline_is_rate(v->by))
		*from = first ? t->points[first - 1].ts : t->from ? t->from - 1 : 0;
	else if (peak.value && at >= first && at < first + n)
		*to = peak.ts;
}

bool timeline_has_moment(const struct timeline_view *v)
{
	uint64_t from, to;

	timeline_span(v, &from, &to);
	return v->moment && v->moment->from == from && v->moment->to == to &&
	       v->moment->by == v->by;
}

/* ---- the moment ---- */

static void take_moment(struct job *job)
{
	struct moment_job *j = (struct moment_job *)job;
	struct timeline_view *v = (struct timeline_view *)view_take(&j->base);

	if (v) {
		browser_drop(v->view.browser, moment_free, v->moment);
		v->moment = j->moment;
		j->moment = NULL;
		v->view.list.n = v->moment->table->nrows;
	}
	moment_job_free(j);
}

/* A reading that was made for the very question, or NULL. */
static struct reading *known_reading(const struct timeline_view *v, uint64_t from, uint64_t to)
{
	const struct browser *b = v->view.browser;
	struct reading *now = b->readings[b->shown];
	const struct sm_timeline *t = timeline_of(v);

	if (from != UINT64_MAX)
		return NULL;
	if (v->moment && v->moment->from == UINT64_MAX && v->moment->to == to)
		return v->moment->reading;
	if (!b->question->selection.profile.older && t->n && to == t->points[t->n - 1].ts)
		return v->course->reading;
	return now && now->question->own_moment && now->profile->to == to ? now : NULL;
}

/* What goes on can't be read again: it has the moment that it is at. */
static bool can_ask(const struct timeline_view *v)
{
	const struct browser *b = v->view.browser;

	return v->course && v->course->timeline->n && !b->sides[b->shown].live_wanted;
}

static void ask_moment(struct timeline_view *v)
{
	struct browser *b = v->view.browser;
	struct question *q = NULL;
	struct moment_job *j;
	struct sm_error *err;
	uint64_t from, to;

	timeline_span(v, &from, &to);
	if (from == UINT64_MAX)
		err = question_at(b->cli, v->course->reading->question, to, &q);
	else
		err = question_between(b->cli, v->course->reading->question, from, to, &q);
	if (err) {
		browser_say_error(b, err);
		return;
	}
	j = moment_job_new(&b->sides[b->shown], q, v->view.narrow, v->by, from, to);
	if (!j) {
		browser_say_error(b, sm_error_nomem());
		return;
	}
	j->base.job.done = take_moment;
	view_post(&v->view, &j->base, known_reading(v, from, to));
}

static void wake(struct view *view)
{
	struct timeline_view *v = (struct timeline_view *)view;

	if (can_ask(v))
		ask_moment(v);
}

/* The cursor is elsewhere: its moment is counted when it rests. */
static void moved(struct timeline_view *v)
{
	struct view_job *job = (struct view_job *)v->view.job;

	if (!can_ask(v))
		return;
	if (job) {
		job_cancel(&job->job);
		job->view = NULL;
		v->view.job = NULL;
	}
	v->view.due = timeline_has_moment(v) ? 0 : sm_now_ns() + DELAY_NS;
}

/* ---- the course ---- */

/* At first the cursor is where the other views are. */
static void place(struct timeline_view *v)
{
	const struct browser *b = v->view.browser;
	const struct reading *now = b->readings[b->shown];
	const struct sm_timeline *t = timeline_of(v);

	if (!v->placed || v->point >= t->n)
		v->point = t->n ? t->n - 1 : 0;
	if (!v->placed && now && now->question->has_moment)
		v->point = point_at(t, now->profile->to);
	v->placed = true;
}

static void take_course(struct job *job)
{
	struct course_job *j = (struct course_job *)job;
	struct timeline_view *v = (struct timeline_view *)view_take(&j->base);

	if (v) {
		struct browser *b = v->view.browser;
		bool at_end = v->course && v->point + 1 == v->course->timeline->n;

		browser_drop(b, course_free, v->course);
		v->course = j->course;
		j->course = NULL;
		if (browser_whole(b) != v->course->reading)
			browser_take_whole(b, v->course->reading);
		/* What goes on is followed. */
		if (at_end && v->course->timeline->n)
			v->point = v->course->timeline->n - 1;
		browser_drop(b, moment_free, v->moment);
		v->moment = NULL;
		v->view.list.n = 0;
		place(v);
	}
	course_job_free(j);
}

static bool is_current(const struct timeline_view *v, const struct reading *whole)
{
	return v->course && v->course->reading == whole &&
	       (v->course->by == SM_M_NR || v->course->by == v->by);
}

static void refresh(struct view *view)
{
	struct timeline_view *v = (struct timeline_view *)view;
	struct browser *b = view->browser;
	struct reading *whole = browser_whole(b);
	struct question *q = NULL;
	struct course_job *j;
	struct sm_error *err;

	view->due = 0;
	if (!b->readings[b->shown])
		return;
	v->by = plotted(b->by);
	if (is_current(v, whole)) {
		if (can_ask(v))
			ask_moment(v);
		return;
	}
	err = question_whole(b->cli, b->asked[b->shown], &q);
	if (err) {
		browser_say_error(b, err);
		return;
	}
	j = course_job_new(&b->sides[b->shown], q, view->narrow, v->by);
	question_put(q);
	if (!j) {
		browser_say_error(b, sm_error_nomem());
		return;
	}
	j->base.job.done = take_course;
	view_post(view, &j->base, whole);
}

/* ---- doing ---- */

static void go(struct timeline_view *v, size_t point)
{
	const struct sm_timeline *t = timeline_of(v);

	if (!t || !t->n)
		return;
	v->point = point < t->n ? point : t->n - 1;
	moved(v);
}

/* By columns of the screen, each of which has `per` points; to the column's last one. */
static void step(struct timeline_view *v, size_t columns, bool on)
{
	size_t per = v->per ? v->per : 1, at = v->point / per;
	const struct sm_timeline *t = timeline_of(v);

	if (!t || !t->n)
		return;
	at = on ? at + columns : at > columns ? at - columns : 0;
	go(v, at > t->n / per ? t->n - 1 : at * per + per - 1);
}

static void go_to_peak(struct timeline_view *v)
{
	const struct sm_timeline *t = timeline_of(v);
	struct sm_timeline_peak peak;

	if (!t)
		return;
	peak = sm_timeline_peak(t, v->by);
	if (peak.value)
		go(v, point_at(t, peak.ts));
	else
		browser_say(v->view.browser, ROLE_WARNING, "there is no peak: nothing was counted");
}

static void enter(struct timeline_view *v)
{
	struct browser *b = v->view.browser;
	struct reading *known = NULL;
	uint64_t from, ts;

	if (!v->course || !v->course->timeline->n)
		return;
	if (b->sides[b->shown].live_wanted) {
		browser_say(b, ROLE_WARNING, "what goes on has one moment: now; Space holds it");
		return;
	}
	timeline_span(v, &from, &ts);
	if (v->moment && v->moment->from == UINT64_MAX && v->moment->to == ts &&
		v->moment->reading->question->own_moment)
		known = v->moment->reading;
	browser_ask_at(b, ts, known);
	browser_push(b, view_rows_new(b, SM_GROUP_STACK, SM_ATTR_NONE), narrow_get(v->view.narrow));
}

/* What the cursor is on is what counts here, not where the other views are. */
static bool mark(struct timeline_view *v)
{
	struct browser *b = v->view.browser;
	uint64_t from, ts;

	if (!can_ask(v) || sm_timeline_is_rate(v->by))
		return false;
	if (!timeline_has_moment(v)) {
		browser_say(b, ROLE_WARNING, "what was live there is still being counted");
		return true;
	}
	timeline_span(v, &from, &ts);
	if (!b->mark) {
		browser_mark(b, v->moment->reading);
		return true;
	}
	browser_ask_at(b, ts, v->moment->reading->question->own_moment ? v->moment->reading : NULL);
	return false;
}

static bool act(struct view *view, enum action action, const char *arg)
{
	struct timeline_view *v = (struct timeline_view *)view;
	struct browser *b = view->browser;

	(void)arg;
	switch (action) {
	case ACT_LEFT:
	case ACT_RIGHT:
		step(v, 1, action == ACT_RIGHT);
		return true;
	case ACT_PAGE_UP:
	case ACT_PAGE_DOWN:
		step(v, COARSE, action == ACT_PAGE_DOWN);
		return true;
	case ACT_TOP:
		go(v, 0);
		return true;
	case ACT_BOTTOM:
		go(v, SIZE_MAX);
		return true;
	case ACT_PEEK:
		go_to_peak(v);
		return true;
	case ACT_ENTER:
		enter(v);
		return true;
	case ACT_MARK:
		return mark(v);
	case ACT_TIMELINE:
		browser_switch(b, view_rows_new(b, SM_GROUP_STACK, SM_ATTR_NONE));
		return true;
	default:
		return false;
	}
}

static bool click(struct view *view, const struct mouse *mouse, const struct area *area)
{
	struct timeline_view *v = (struct timeline_view *)view;
	size_t column;

	(void)area;
	if (!v->course || mouse->y < v->plot.y || mouse->y >= v->plot.y + v->plot.h ||
		mouse->x < v->plot.x || !v->columns)
		return false;
	column = (size_t)(mouse->x - v->plot.x);
	column = column < v->columns ? column : v->columns - 1;
	go(v, column / v->wide * v->per + v->per - 1);
	if (mouse->kind == MOUSE_DOUBLE)
		enter(v);
	return true;
}

static void draw(struct view *view, const struct area *area)
{
	struct timeline_view *v = (struct timeline_view *)view;
	struct pen pen = screen_pen(view->browser->screen, area->y + 1, area->x, area->w);

	v->columns = 0;
	if (!v->course)
		pen_text(&pen, ROLE_DIM, "counting...");
	else if (!v->course->timeline->n)
		pen_text(&pen, ROLE_DIM, "nothing: no events in that window");
	else
		timeline_draw(v, area);
	/* Which moment it is follows from the width of columns. */
	if (v->columns && can_ask(v) && !view->job && !view->due && !timeline_has_moment(v))
		view->due = sm_now_ns();
}

static void describe(struct view *view, struct sm_buf *text)
{
	const struct timeline_view *v = (const struct timeline_view *)view;

	sm_buf_addf(text, "%s over time", v->course ? sm_metric_name(v->by) : "");
}

static struct saver *save(struct view *view, enum save_format format, const char **why)
{
	struct timeline_view *v = (struct timeline_view *)view;

	(void)format;
	if (!v->course) {
		*why = "it isn't there yet";
		return NULL;
	}
	*why = "memory is short";
	return timeline_saver_new(
		v->course->reading, view->narrow, v->by, screen_is_utf8(view->browser->screen));
}

static void close_timeline(struct view *view)
{
	struct timeline_view *v = (struct timeline_view *)view;

	browser_drop(view->browser, moment_free, v->moment);
	browser_drop(view->browser, course_free, v->course);
	free(v);
}

struct view *view_timeline_new(struct browser *b)
{
	struct timeline_view *v = calloc(1, sizeof(*v));

	if (!v)
		return NULL;
	v->view.ops = &OPS;
	v->view.browser = b;
	return &v->view;
}

static const struct view_ops OPS = {
	.name = "timeline",
	.refresh = refresh,
	.draw = draw,
	.act = act,
	.click = click,
	.describe = describe,
	.save = save,
	.wake = wake,
	.close = close_timeline,
};
