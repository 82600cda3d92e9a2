/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is said while there is no standard error to say it on. */
#include <stdlib.h>

#include "browser_internal.h"

#define MAX_MESSAGES 10000

static void write_log(void *ctx, enum sm_level level, const char *line)
{
	struct browser *b = ctx;

	pthread_mutex_lock(&b->log.lock);
	if (b->log.n < MAX_MESSAGES &&
		sm_grow(&b->log.items, &b->log.cap, b->log.n + 1, sizeof(*b->log.items))) {
		struct message *m = &b->log.items[b->log.n];

		*m = (struct message){.text = strdup(line), .level = level};
		b->log.n += m->text != NULL;
	}
	pthread_mutex_unlock(&b->log.lock);
	if (b->worker)
		worker_signal(b->worker);
}

static void tick(void *ctx, const char *what, uint64_t done, uint64_t total)
{
	struct browser *b = ctx;

	/* The screen looks at it from time to time. */
	if (pthread_mutex_trylock(&b->log.lock))
		return;
	b->log.done = done;
	b->log.total = total;
	b->log.at = sm_now_ns();
	snprintf(b->log.what, sizeof(b->log.what), "%s", what);
	pthread_mutex_unlock(&b->log.lock);
}

void browser_log_init(struct browser *b)
{
	pthread_mutex_init(&b->log.lock, NULL);
	b->cli->log.write = write_log;
	b->cli->log.ctx = b;
	b->cli->progress = (struct sm_progress){.tick = tick, .ctx = b};
}

void browser_log_release(struct browser *b)
{
	for (size_t i = 0; i < b->log.n; i++)
		free(b->log.items[i].text);
	free(b->log.items);
	pthread_mutex_destroy(&b->log.lock);
}

void browser_say(struct browser *b, enum role role, const char *fmt, ...)
{
	struct sm_buf text = {0};
	va_list ap;

	va_start(ap, fmt);
	sm_buf_vaddf(&text, fmt, ap);
	va_end(ap);
	free(b->note);
	b->note = text.failed ? NULL : text.data;
	b->note_role = role;
	if (text.failed)
		sm_buf_release(&text);
}

void browser_say_error(struct browser *b, struct sm_error *err)
{
	struct sm_buf text = {0};

	sm_error_format(err, &text);
	if (!text.failed) {
		/* Shown now, and kept for who wants to read it whole. */
		browser_say(b, ROLE_WARNING, "%s", text.data);
		write_log(b, SM_ERROR, text.data);
		pthread_mutex_lock(&b->log.lock);
		b->nread = b->log.n;
		pthread_mutex_unlock(&b->log.lock);
	}
	sm_buf_release(&text);
	sm_error_free(err);
}
