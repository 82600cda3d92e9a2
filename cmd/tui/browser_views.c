/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The views on each other. */
#include <stdlib.h>

#include "browser_internal.h"

void browser_close_view(struct view *v)
{
	if (v->job) {
		struct view_job *job = (struct view_job *)v->job;

		job_cancel(v->job);
		job->view = NULL;
	}
	narrow_put(v->narrow);
	free(v->trouble);
	v->ops->close(v);
}

void browser_push(struct browser *b, struct view *v, const struct narrow *narrow)
{
	if (!v) {
		narrow_put(narrow);
		browser_say_error(b, sm_error_nomem());
		return;
	}
	v->browser = b;
	v->narrow = narrow;
	v->below = b->top;
	b->top = v;
	v->ops->refresh(v);
}

void browser_back(struct browser *b)
{
	struct view *v = b->top;

	if (!v->below)
		return;
	b->top = v->below;
	browser_close_view(v);
	/* What changed meanwhile. */
	b->top->ops->refresh(b->top);
}

void browser_switch(struct browser *b, struct view *v)
{
	struct view *old = b->top;
	const struct narrow *narrow = old ? narrow_get(old->narrow) : NULL;

	if (v && old) {
		b->top = old->below;
		browser_close_view(old);
	}
	browser_push(b, v, narrow);
}

void browser_refresh(struct browser *b)
{
	if (b->top)
		b->top->ops->refresh(b->top);
}
