/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What views share. */
#include <stdlib.h>

#include "browser.h"
#include "lookout.h"

void view_post(struct view *v, struct view_job *job, struct reading *reading)
{
	struct view_job *old = (struct view_job *)v->job;

	if (old) {
		job_cancel(&old->job);
		old->view = NULL;
	}
	job->view = v;
	job->reading = reading ? reading_get(reading) : NULL;
	v->job = &job->job;
	worker_post(v->browser->worker, &job->job);
}

struct view *view_take(struct view_job *job)
{
	struct view *v = job->view;
	struct sm_error *err = job->job.err;

	job->job.err = NULL;
	if (v && v->job == &job->job)
		v->job = NULL;
	if (err && v && err->code != SM_E_STOPPED) {
		struct sm_buf text = {0};

		sm_error_format(err, &text);
		free(v->trouble);
		v->trouble = text.failed ? NULL : text.data;
		if (text.failed)
			sm_buf_release(&text);
		v = NULL;
	} else if (err) {
		v = NULL;
	} else if (v) {
		free(v->trouble);
		v->trouble = NULL;
	}
	sm_error_free(err);
	return v;
}

struct drop_job {
	struct job job;
	void (*release)(void *what);
	void *what;
};

static void work_drop(struct job *job)
{
	struct drop_job *d = (struct drop_job *)job;

	d->release(d->what);
	d->what = NULL;
}

static void done_drop(struct job *job)
{
	struct drop_job *d = (struct drop_job *)job;

	if (d->what)
		d->release(d->what);
	free(d);
}

void browser_drop(struct browser *b, void (*release)(void *what), void *what)
{
	struct drop_job *d;

	if (!what)
		return;
	/* Without a worker nobody uses it any more. */
	if (!b->worker) {
		release(what);
		return;
	}
	d = calloc(1, sizeof(*d));
	if (!d)
		return; /* a leak is better than what another thread still reads */
	d->job.work = work_drop;
	d->job.done = done_drop;
	d->release = release;
	d->what = what;
	worker_post(b->worker, &d->job);
}

void browser_put_reading(void *reading)
{
	reading_put(reading);
}

void view_job_release(struct view_job *job)
{
	reading_put(job->reading);
	job->reading = NULL;
}

void browser_value(const struct browser *b, uint64_t value, struct sm_buf *text)
{
	const struct reading *r = b->readings[b->shown];

	if (r && b->by < SM_M_NR && sm_profile_is_bytes(r->profile, b->by))
		sm_human_bytes(value, text);
	else
		sm_human_count(value, text);
}

void browser_frame(
	struct browser *b, struct side *side, uint64_t ip, bool more, struct sm_buf *text)
{
	const struct sm_line *line;
	struct name name;

	(void)b;
	if (ip == SM_TRAMPOLINE) {
		sm_buf_adds(text, "[FTRACE TRAMPOLINE]");
		return;
	}
	if (!names_get(side->names, ip, &name) || !name.function) {
		if (sm_is_named(ip))
			sm_buf_adds(text, "...");
		else
			sm_buf_addf(text, "0x%llx", (unsigned long long)ip);
		return;
	}
	sm_buf_adds(text, name.function);
	if (more) {
		/* The physical function's own line: where the call stands. */
		line = name.nlines ? &name.lines[name.nlines - 1] : NULL;
		if (line && line->line)
			sm_buf_addf(text, ":%u", line->line);
		else if (!sm_is_named(ip))
			sm_buf_addf(text, "+0x%llx", (unsigned long long)name.offset);
	}
	if (name.module)
		sm_buf_addf(text, " [%s]", name.module);
}

void view_search_lines(struct view *v, size_t n, bool forward, bool from_here,
	bool (*matches)(void *view, size_t line))
{
	size_t found = lookout_find(n, v->list.cursor, forward, from_here, matches, v);

	if (found != SIZE_MAX)
		list_go(&v->list, found);
	else
		browser_say(v->browser, ROLE_WARNING, "no line matches '%s'", v->browser->search);
}

void view_draw_empty(const struct view *v, const struct area *area)
{
	const struct browser *b = v->browser;
	struct pen pen = screen_pen(b->screen, area->y + 1, area->x, area->w);

	pen_text(&pen, ROLE_DIM, v->job || !b->readings[b->shown] ? "counting..." : "nothing");
}

void browser_peek_frame(struct browser *b, struct side *side, uint64_t ip)
{
	struct sm_buf text = {0};

	browser_frame(b, side, ip, false, &text);
	browser_peek(b, text.failed ? NULL : text.data);
	sm_buf_release(&text);
}

void browser_peek(struct browser *b, const char *function)
{
	if (function)
		browser_push(b, view_function_new(b, function), narrow_get(b->top->narrow));
	else
		browser_say_error(b, sm_error_nomem());
}
