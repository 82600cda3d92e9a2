/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pages that somebody reads while they are recorded. They wait compressed: a tenth of the memory,
 * so that a reader may be late by a while. What doesn't fit is left out and told in its place by a
 * page as the kernel makes it.
 */
#include <stdlib.h>

#include "internal.h"
#include "recording.h"

struct tap_frame {
	struct tap_frame *next;
	uint64_t lost, time; /* records that are missing before it, of this time on */
	size_t len;
	uint8_t data[];
};

struct sm_tap {
	struct sm_taps *taps;
	pthread_mutex_t lock;
	struct tap_frame *first, **last;
	uint64_t lost; /* records since the last frame */
	/* The reader's: */
	struct tap_frame *now;
	struct frames frames; /* of `now` */
	uint8_t *page;        /* that tells of a loss; NULL = none */
	size_t page_at;
	char *path;
};

struct sm_taps {
	struct sm_tally_layout layout;
	uint64_t limit;
	atomic_uint_fast64_t waiting; /* bytes */
	struct sm_tap *v;
	size_t n;
};

struct sm_error *sm_taps_new(
	size_t n, const struct sm_tally_layout *layout, uint64_t limit, struct sm_taps **out)
{
	struct sm_taps *t = calloc(1, sizeof(*t));

	*out = NULL;
	if (t)
		t->v = calloc(n + 1, sizeof(*t->v));
	if (!t || !t->v) {
		free(t);
		return sm_error_nomem();
	}
	t->layout = *layout;
	t->limit = limit;
	t->n = n;
	for (size_t i = 0; i < n; i++) {
		t->v[i].taps = t;
		t->v[i].last = &t->v[i].first;
		pthread_mutex_init(&t->v[i].lock, NULL);
	}
	*out = t;
	return NULL;
}

void sm_taps_push(struct sm_taps *t, const struct sm_packed *packed)
{
	struct sm_tap *tap = &t->v[packed->index];
	struct tap_frame *f = NULL;

	if (atomic_load(&t->waiting) + packed->len <= t->limit)
		f = malloc(sizeof(*f) + packed->len);
	if (f) {
		f->next = NULL;
		f->time = packed->time;
		f->len = packed->len;
		memcpy(f->data, packed->frame, packed->len);
		atomic_fetch_add(&t->waiting, packed->len);
	}
	pthread_mutex_lock(&tap->lock);
	if (f) {
		f->lost = tap->lost;
		tap->lost = 0;
		*tap->last = f;
		tap->last = &f->next;
	} else {
		tap->lost += packed->records;
	}
	pthread_mutex_unlock(&tap->lock);
}

static void drop_frame(struct sm_tap *tap)
{
	if (!tap->now)
		return;
	sm_frames_release(&tap->frames);
	atomic_fetch_sub(&tap->taps->waiting, tap->now->len);
	free(tap->now);
	tap->now = NULL;
}

/* The next frame, and the page that goes before it; nothing when there is none. */
static struct sm_error *take_frame(struct sm_tap *tap)
{
	const struct sm_tally_layout *layout = &tap->taps->layout;
	struct sm_error *err;
	struct tap_frame *f;

	pthread_mutex_lock(&tap->lock);
	f = tap->first;
	if (f) {
		tap->first = f->next;
		if (!tap->first)
			tap->last = &tap->first;
	}
	pthread_mutex_unlock(&tap->lock);
	if (!f)
		return NULL;
	tap->now = f;
	err = sm_frames_init(&tap->frames, f->data, f->len, 0, tap->path);
	if (err || !f->lost)
		return err;
	tap->page = malloc(layout->page_size);
	if (!tap->page)
		return sm_error_nomem();
	tap->page_at = 0;
	sm_loss_page(layout, f->time, f->lost, tap->page);
	return NULL;
}

static size_t take_page(struct sm_tap *tap, uint8_t *buf, size_t cap)
{
	size_t left = tap->taps->layout.page_size - tap->page_at;
	size_t len = left < cap ? left : cap;

	memcpy(buf, tap->page + tap->page_at, len);
	tap->page_at += len;
	if (len == left) {
		free(tap->page);
		tap->page = NULL;
	}
	return len;
}

static struct sm_error *fill(struct sm_stream *s, uint8_t *buf, size_t cap, size_t *len)
{
	struct sm_tap *tap = s->tap;
	struct sm_error *err = NULL;

	*len = 0;
	while (!*len && !err) {
		if (!tap->now) {
			err = take_frame(tap);
			if (!tap->now)
				break;
		} else if (tap->page) {
			*len = take_page(tap, buf, cap);
		} else if (sm_frames_end(&tap->frames)) {
			drop_frame(tap);
		} else {
			err = sm_frames_read(&tap->frames, buf, cap, len);
		}
	}
	return err;
}

static const struct stream_ops tap_ops = {.fill = fill};

struct sm_error *sm_taps_stream(
	struct sm_taps *t, size_t index, char *path, struct sm_stream **stream)
{
	struct sm_error *err = sm_stream_new(&tap_ops, path, stream);

	if (err)
		return err;
	(*stream)->tap = &t->v[index];
	(*stream)->goes_on = true;
	t->v[index].path = (*stream)->path;
	return NULL;
}

void sm_taps_free(struct sm_taps *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n; i++) {
		struct sm_tap *tap = &t->v[i];
		struct tap_frame *f;

		drop_frame(tap);
		free(tap->page);
		while ((f = tap->first)) {
			tap->first = f->next;
			free(f);
		}
		pthread_mutex_destroy(&tap->lock);
	}
	free(t->v);
	free(t);
}
