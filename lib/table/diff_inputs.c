/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the inputs of a comparison are: their windows, when they were, what makes them unlike. */
#include <stdio.h>
#include <time.h>

#include "diff_internal.h"

/* Windows whose lengths differ by more are worth a word. */
#define SIMILAR 1.25

static const struct sm_profile *profile_of(const struct sm_diff *d, size_t i)
{
	return d->inputs[i].table->profile;
}

static const char *path_of(const struct sm_diff *d, size_t i)
{
	return sm_source_path(profile_of(d, i)->trace->src);
}

static struct sm_error *check_normal(const struct sm_diff *d)
{
	if (!d->opts.normalize)
		return NULL;
	if (d->by == SM_M_REF_COUNT)
		return sm_error_new(SM_E_USAGE, NULL, "nothing to normalize by",
			"a stack map counts from its last reset on, and nobody knows when that "
			"was; compare a key of events, as --by count");
	if (d->by == SM_M_PEAK_BYTES)
		return sm_error_new(SM_E_USAGE, NULL, "nothing to normalize",
			"a peak is no sum over the window: compare it without --normalize");
	for (size_t i = 0; i < d->ninputs; i++)
		if (!(d->inputs[i].window > 0))
			return sm_error_new(SM_E_USAGE, path_of(d, i), "no window to normalize by",
				"there are no two events at different times of a clock that counts "
				"time");
	return NULL;
}

/* Whether no two are known to be from different boots. */
static bool same_boot(const struct sm_diff *d)
{
	const char *boot = NULL;

	for (size_t i = 0; i < d->ninputs; i++) {
		const char *id = profile_of(d, i)->trace->boot_id;

		if (id && boot && strcmp(id, boot) != 0)
			return false;
		boot = id ? id : boot;
	}
	return true;
}

/* The ends of windows, by one clock. */
static bool times_by_clock(struct sm_diff *d)
{
	const char *clock = profile_of(d, 0)->trace->clock;

	if (!same_boot(d))
		return false;
	for (size_t i = 0; i < d->ninputs; i++) {
		const struct sm_profile *p = profile_of(d, i);

		if (!p->health.has_window || !p->trace->clock_is_time ||
			strcmp(p->trace->clock, clock) != 0)
			return false;
		if (i && p->to <= profile_of(d, i - 1)->to)
			return false;
		d->inputs[i].time = (double)(p->to - profile_of(d, 0)->to) / 1e9;
	}
	return true;
}

/* When the captures were made, by the wall clock. */
static bool times_by_date(struct sm_diff *d)
{
	time_t first = 0, before = 0;

	for (size_t i = 0; i < d->ninputs; i++) {
		const char *text = profile_of(d, i)->trace->created, *end;
		struct tm tm = {0};
		time_t at;

		end = text ? strptime(text, "%Y-%m-%dT%H:%M:%SZ", &tm) : NULL;
		if (!end || *end)
			return false;
		at = timegm(&tm);
		if (i && at <= before)
			return false;
		first = i ? first : at;
		before = at;
		d->inputs[i].time = (double)(at - first);
	}
	return true;
}

struct sm_error *sm_diff_describe(struct sm_diff *d, const struct sm_table *const *tables)
{
	d->by = tables[0]->opts.by;
	d->is_bytes = sm_profile_is_bytes(tables[0]->profile, d->by);
	for (size_t i = 0; i < d->ninputs; i++) {
		d->inputs[i].table = tables[i];
		d->inputs[i].total = tables[i]->totals[d->by];
		d->inputs[i].window = (double)sm_profile_window_ns(tables[i]->profile) / 1e9;
	}
	d->time_is_seconds = times_by_clock(d) || times_by_date(d);
	for (size_t i = 0; i < d->ninputs; i++) {
		if (!d->time_is_seconds)
			d->inputs[i].time = (double)i;
		d->priv->times[i] = d->inputs[i].time;
	}
	return check_normal(d);
}

static bool add_note(struct sm_diff *d, const struct sm_buf *text)
{
	struct sm_diff_private *p = d->priv;
	const char *copy = text->failed ? NULL : sm_arena_strndup(&p->arena, text->data, text->len);

	if (!copy || !sm_grow(&p->notes, &p->notes_cap, d->nnotes + 1, sizeof(*p->notes)))
		return false;
	p->notes[d->nnotes++] = copy;
	d->notes = p->notes;
	return true;
}

static void add_path(struct sm_buf *b, const struct sm_diff *d, size_t i)
{
	sm_buf_addc(b, '\'');
	sm_buf_add_visible(b, path_of(d, i), strlen(path_of(d, i)));
	sm_buf_addc(b, '\'');
}

static const char *kernel_id(const struct sm_diff *d, size_t i)
{
	const struct sm_symbols *syms = d->inputs[i].table->syms;

	return syms ? sm_symbols_build_id(syms, NULL) : NULL;
}

/* Whether there are stacks, and none of them is in two inputs. */
static bool nothing_shared(const struct sm_diff *d)
{
	const struct join *j = &d->priv->join;
	bool any = false;

	for (size_t r = 0; r < j->n; r++) {
		size_t in = 0;

		if (j->rows[r].label)
			continue;
		any = true;
		for (size_t i = 0; i < d->ninputs; i++)
			in += j->values[r * d->ninputs + i] != 0;
		if (in > 1)
			return false;
	}
	for (size_t i = 0; i < d->ninputs; i++)
		any &= d->inputs[i].addresses > d->inputs[i].unresolved;
	return any;
}

/* Exact matching finds nothing in common between two builds. */
static void note_builds(const struct sm_diff *d, struct sm_buf *b)
{
	const char *first = kernel_id(d, 0);
	size_t other = 1;

	if (d->opts.match != SM_MATCH_EXACT || !nothing_shared(d))
		return;
	while (other < d->ninputs && first && kernel_id(d, other) &&
		!strcmp(kernel_id(d, other), first))
		other++;
	sm_buf_adds(b, "no stack is in two inputs");
	if (other < d->ninputs && first && kernel_id(d, other)) {
		sm_buf_addf(b, ", whose kernels differ: build id %.12s of ", first);
		add_path(b, d, 0);
		sm_buf_addf(b, ", %.12s of ", kernel_id(d, other));
		add_path(b, d, other);
	}
	sm_buf_adds(b, "; --match function compares by names");
}

static void note_windows(const struct sm_diff *d, struct sm_buf *b)
{
	double least = d->inputs[0].window, most = least;

	if (d->opts.normalize || d->by == SM_M_REF_COUNT)
		return;
	for (size_t i = 1; i < d->ninputs; i++) {
		double w = d->inputs[i].window;

		least = w < least ? w : least;
		most = w > most ? w : most;
	}
	if (!(least > 0) || most <= least * SIMILAR)
		return;
	sm_buf_adds(b, "windows differ, from ");
	sm_human_ns((uint64_t)(least * 1e9), b);
	sm_buf_adds(b, " to ");
	sm_human_ns((uint64_t)(most * 1e9), b);
	sm_buf_adds(b, ": these are totals of unlike times; --normalize compares per second");
}

static void note_unresolved(const struct sm_diff *d, size_t i, struct sm_buf *b)
{
	const struct sm_diff_input *in = &d->inputs[i];

	if (!in->unresolved)
		return;
	sm_human_count(in->unresolved, b);
	sm_buf_adds(b, " of ");
	sm_human_count(in->addresses, b);
	sm_buf_adds(b, " addresses of ");
	add_path(b, d, i);
	sm_buf_adds(b, " have no name: such frames match by address, which another boot changes");
}

static void note_times(const struct sm_diff *d, struct sm_buf *b)
{
	if (d->ninputs == 2)
		return;
	if (!same_boot(d))
		sm_buf_adds(b, "inputs are from different boots: what was live began anew");
	if (!d->time_is_seconds) {
		sm_buf_adds(b, b->len ? "; " : "");
		sm_buf_adds(b, "when the inputs were made isn't known, or not in this order: "
			       "slopes are per step from one to the next");
	}
	if (d->by == SM_M_REF_COUNT) {
		sm_buf_adds(b, b->len ? "; " : "");
		sm_buf_adds(b, "ref_count only counts up until the map is reset: what grows is "
			       "activity, not memory");
	}
}

bool sm_diff_note(struct sm_diff *d)
{
	struct sm_buf b = {0};
	bool ok = true;

	for (size_t i = 0; ok && i < d->ninputs + 3; i++) {
		sm_buf_reset(&b);
		if (i == 0)
			note_builds(d, &b);
		else if (i == 1)
			note_windows(d, &b);
		else if (i == 2)
			note_times(d, &b);
		else
			note_unresolved(d, i - 3, &b);
		ok = !b.failed && (!b.len || add_note(d, &b));
	}
	sm_buf_release(&b);
	return ok;
}
