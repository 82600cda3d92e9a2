/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "worker.h"

struct job_queue {
	struct job *first, **end;
};

struct worker {
	pthread_t thread;
	pthread_mutex_t lock; /* of all that follows */
	pthread_cond_t more;
	struct job_queue waiting, ended;
	struct job *current;
	uint64_t since;
	bool (*idle)(void *ctx);
	void *ctx;
	bool maybe_idle_work, in_idle, stop;
	int fd;
};

static void queue_init(struct job_queue *q)
{
	q->first = NULL;
	q->end = &q->first;
}

static void queue_push(struct job_queue *q, struct job *job)
{
	job->next = NULL;
	*q->end = job;
	q->end = &job->next;
}

static struct job *queue_pop(struct job_queue *q)
{
	struct job *job = q->first;

	if (job) {
		q->first = job->next;
		if (!q->first)
			q->end = &q->first;
	}
	return job;
}

void worker_signal(struct worker *w)
{
	uint64_t one = 1;
	ssize_t n;

	/* It can only fail while it is readable anyway. */
	do
		n = write(w->fd, &one, sizeof(one));
	while (n < 0 && errno == EINTR);
}

static void *run(void *arg)
{
	struct worker *w = arg;

	pthread_mutex_lock(&w->lock);
	while (!w->stop) {
		struct job *job = queue_pop(&w->waiting);

		if (job) {
			w->current = job;
			w->since = sm_now_ns();
			pthread_mutex_unlock(&w->lock);
			if (!job_is_cancelled(job))
				job->work(job);
			pthread_mutex_lock(&w->lock);
			w->current = NULL;
			queue_push(&w->ended, job);
			worker_signal(w);
		} else if (w->maybe_idle_work) {
			bool more;

			w->maybe_idle_work = false;
			w->in_idle = true;
			pthread_mutex_unlock(&w->lock);
			more = w->idle(w->ctx);
			pthread_mutex_lock(&w->lock);
			w->in_idle = false;
			w->maybe_idle_work |= more;
			worker_signal(w);
		} else {
			pthread_cond_wait(&w->more, &w->lock);
		}
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

struct sm_error *worker_new(bool (*idle)(void *ctx), void *ctx, struct worker **out)
{
	struct worker *w = calloc(1, sizeof(*w));
	int rc;

	*out = NULL;
	if (!w)
		return sm_error_nomem();
	queue_init(&w->waiting);
	queue_init(&w->ended);
	w->idle = idle;
	w->ctx = ctx;
	w->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (w->fd < 0) {
		free(w);
		return sm_error_errno(errno, NULL, "can't be told of results", NULL);
	}
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->more, NULL);
	rc = pthread_create(&w->thread, NULL, run, w);
	if (rc) {
		close(w->fd);
		free(w);
		return sm_error_errno(rc, NULL, "can't start a thread", NULL);
	}
	*out = w;
	return NULL;
}

void worker_free(struct worker *w)
{
	struct job *job;

	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	if (w->current)
		job_cancel(w->current);
	pthread_cond_signal(&w->more);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	while ((job = queue_pop(&w->ended)) || (job = queue_pop(&w->waiting))) {
		job_cancel(job);
		job->done(job);
	}
	pthread_cond_destroy(&w->more);
	pthread_mutex_destroy(&w->lock);
	close(w->fd);
	free(w);
}

void worker_post(struct worker *w, struct job *job)
{
	pthread_mutex_lock(&w->lock);
	queue_push(&w->waiting, job);
	pthread_cond_signal(&w->more);
	pthread_mutex_unlock(&w->lock);
}

void worker_wake(struct worker *w)
{
	pthread_mutex_lock(&w->lock);
	w->maybe_idle_work = true;
	pthread_cond_signal(&w->more);
	pthread_mutex_unlock(&w->lock);
}

int worker_fd(const struct worker *w)
{
	return w->fd;
}

bool worker_collect(struct worker *w)
{
	struct job *job, *next;
	uint64_t count;
	ssize_t n;

	do
		n = read(w->fd, &count, sizeof(count));
	while (n < 0 && errno == EINTR);
	pthread_mutex_lock(&w->lock);
	job = w->ended.first;
	queue_init(&w->ended);
	pthread_mutex_unlock(&w->lock);
	if (!job)
		return false;
	for (; job; job = next) {
		next = job->next;
		job->done(job);
	}
	return true;
}

bool worker_is_idle(struct worker *w)
{
	bool idle;

	pthread_mutex_lock(&w->lock);
	idle = !w->current && !w->waiting.first && !w->ended.first && !w->maybe_idle_work &&
	       !w->in_idle;
	pthread_mutex_unlock(&w->lock);
	return idle;
}

const char *worker_what(struct worker *w, uint64_t *since)
{
	const char *what = NULL;

	pthread_mutex_lock(&w->lock);
	if (w->current) {
		what = w->current->what;
		*since = w->since;
	}
	pthread_mutex_unlock(&w->lock);
	return what;
}

bool job_stopped(void *job)
{
	return job_is_cancelled(job);
}
