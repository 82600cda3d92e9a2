/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Readers of trace_pipe_raw. A reader sleeps until the kernel says that a tenth of a CPU's buffer
 * is full, and then reads a little less than that: so it never slices the page that is being
 * written, and wakes seldom. Plain reads, a page each: pages are compressed, so splice would only
 * add a pipe to be read.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "recording.h"

#define MAX_READERS 64
#define NICE (-15)   /* late reading is loss; there is little of it */
#define POLL_MS 1000 /* CPUs that come online are looked for that often */
#define NAP_MS 10    /* where poll says "ready" with nothing to read */

struct lane {
	struct sm_spool *spool;
	struct sm_chunk *chunk; /* being filled */
	char path[64];          /* below the tracefs directory */
	int fd;
	bool absent; /* the CPU was never online so far */
	bool done;
	pthread_mutex_t lock; /* of the chunk and what is read into it: a sweep reads too */
};

struct reader {
	struct sm_drain *drain;
	pthread_t thread;
	bool started;
	struct lane **lanes;
	struct pollfd *fds; /* one a lane, and the wake descriptor */
	size_t n;
};

struct sm_drain {
	struct sm_packer *packer;
	struct lane *lanes;
	size_t nlanes;
	struct reader *readers;
	size_t nreaders;
	size_t page_size, chunk_size, burst;
	size_t pages; /* of a CPU's buffer */
	int wake;     /* readable = drain the rest and end */
};

enum read_result { READ_PAGE, READ_EMPTY, READ_ABSENT, READ_FAILED };

/* Reads one page into the lane's chunk, which goes to the packer when it is full. */
static enum read_result read_page(struct sm_drain *d, struct lane *lane)
{
	struct sm_chunk *c = lane->chunk;
	ssize_t n;

	if (!c) {
		c = lane->chunk = sm_packer_take(d->packer);
		c->spool = lane->spool;
	}
	do
		n = read(lane->fd, c->data + c->len, d->page_size);
	while (n < 0 && errno == EINTR);
	if (n == 0 || (n < 0 && errno == EAGAIN))
		return READ_EMPTY;
	if (n < 0 && errno == ENODEV)
		return READ_ABSENT;
	if (n < 0) {
		sm_packer_fail(d->packer,
			sm_error_errno(errno, lane->path, "cannot read trace pages", NULL));
		return READ_FAILED;
	}
	/* Never seen; a reader needs pages in step. */
	if ((size_t)n < d->page_size)
		memset(c->data + c->len + n, 0, d->page_size - (size_t)n);
	c->len += d->page_size;
	if (c->len + d->page_size > d->chunk_size) {
		sm_packer_push(d->packer, c);
		lane->chunk = NULL;
	}
	return READ_PAGE;
}

/* True when poll said "ready" for nothing. */
static bool read_burst(struct sm_drain *d, struct lane *lane)
{
	enum read_result result = READ_PAGE;
	size_t i;

	pthread_mutex_lock(&lane->lock);
	for (i = 0; i < d->burst && result == READ_PAGE; i++)
		result = read_page(d, lane);
	if (result == READ_ABSENT)
		lane->absent = true;
	if (result == READ_FAILED)
		lane->done = true;
	pthread_mutex_unlock(&lane->lock);
	return result == READ_EMPTY;
}

static void push_chunk(struct sm_drain *d, struct lane *lane)
{
	if (lane->chunk && lane->chunk->len)
		sm_packer_push(d->packer, lane->chunk);
	else if (lane->chunk)
		sm_packer_give_back(d->packer, lane->chunk);
	lane->chunk = NULL;
}

void sm_drain_sweep(struct sm_drain *d)
{
	enum read_result result;
	struct lane *lane;
	size_t i, k;

	for (i = 0; i < d->nlanes; i++) {
		lane = &d->lanes[i];
		pthread_mutex_lock(&lane->lock);
		result = lane->done ? READ_EMPTY : READ_PAGE;
		/* A buffer's worth at most: what was there has then been read. */
		for (k = 0; k < d->pages && result == READ_PAGE; k++)
			result = read_page(d, lane);
		push_chunk(d, lane);
		pthread_mutex_unlock(&lane->lock);
	}
}

static void read_rest(struct sm_drain *d, struct lane *lane)
{
	enum read_result result;
	int passes;

	pthread_mutex_lock(&lane->lock);
	/* A writer that was interrupted may still commit: look again. */
	for (passes = 0; passes < 2 && !lane->done; passes++) {
		do
			result = read_page(d, lane);
		while (result == READ_PAGE);
		if (result != READ_EMPTY)
			break;
		if (!passes)
			poll(NULL, 0, 1);
	}
	push_chunk(d, lane);
	close(lane->fd);
	lane->fd = -1;
	pthread_mutex_unlock(&lane->lock);
}

static void *reader_run(void *arg)
{
	struct reader *r = arg;
	struct sm_drain *d = r->drain;
	uint64_t now, look = 0;
	bool idle;
	size_t i;

	sm_packer_register_thread(d->packer);
	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), NICE); /* may be refused: no matter */
	r->fds[r->n].fd = d->wake;
	r->fds[r->n].events = POLLIN;
	for (;;) {
		now = sm_now_ns();
		if (now >= look) {
			for (i = 0; i < r->n; i++)
				r->lanes[i]->absent = false;
			look = now + POLL_MS * UINT64_C(1000000);
		}
		for (i = 0; i < r->n; i++) {
			struct lane *lane = r->lanes[i];

			r->fds[i].fd = lane->done || lane->absent ? -1 : lane->fd;
			r->fds[i].events = POLLIN;
		}
		if (poll(r->fds, r->n + 1, POLL_MS) < 0)
			continue; /* EINTR */
		if (r->fds[r->n].revents)
			break;
		idle = false;
		for (i = 0; i < r->n; i++) {
			if (r->fds[i].fd < 0 || !r->fds[i].revents)
				continue;
			if (r->fds[i].revents & (POLLERR | POLLNVAL))
				r->lanes[i]->absent = true;
			else
				idle |= read_burst(d, r->lanes[i]);
		}
		if (idle)
			poll(&r->fds[r->n], 1, NAP_MS);
	}
	for (i = 0; i < r->n; i++)
		read_rest(d, r->lanes[i]);
	return NULL;
}

static struct sm_error *open_lane(struct lane *lane, const char *dir, struct sm_spool *spool)
{
	char path[PATH_MAX];

	lane->spool = spool;
	pthread_mutex_init(&lane->lock, NULL);
	sm_path_set(path, "%s/per_cpu/cpu%u/trace_pipe_raw", dir, spool->cpu);
	sm_path_set(lane->path, "per_cpu/cpu%u/trace_pipe_raw", spool->cpu);
	lane->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (lane->fd < 0 && errno != ENODEV)
		return sm_error_errno(errno, path, "cannot read trace pages",
			errno == EBUSY ? "something else reads them" : NULL);
	lane->done = lane->fd < 0;
	return NULL;
}

struct sm_error *sm_drain_new(const char *dir, struct sm_spool *spools, size_t n,
	const struct sm_tally_layout *layout, uint64_t buffer_kb, struct sm_packer *packer,
	struct sm_drain **drain)
{
	struct sm_drain *d = calloc(1, sizeof(*d));
	struct sm_error *err = NULL;
	struct reader *r;
	size_t i, tenth;

	*drain = NULL;
	if (!d)
		return sm_error_nomem();
	d->packer = packer;
	d->page_size = layout->page_size;
	d->chunk_size = sm_packer_chunk_size(packer);
	d->pages = (size_t)(buffer_kb * 1024 / d->page_size);
	tenth = d->pages * SM_DRAIN_PERCENT / 100;
	d->burst = tenth > 2 ? tenth - 1 : 1;
	d->pages += 2;
	d->nreaders = n < MAX_READERS ? n : MAX_READERS;
	d->wake = eventfd(0, EFD_CLOEXEC);
	d->lanes = calloc(n + 1, sizeof(*d->lanes));
	d->readers = calloc(d->nreaders + 1, sizeof(*d->readers));
	if (d->wake < 0 || !d->lanes || !d->readers)
		err = sm_error_nomem();
	for (i = 0; i < d->nreaders && !err; i++) {
		r = &d->readers[i];
		r->drain = d;
		r->lanes = calloc(n / d->nreaders + 1, sizeof(*r->lanes));
		r->fds = calloc(n / d->nreaders + 2, sizeof(*r->fds));
		if (!r->lanes || !r->fds)
			err = sm_error_nomem();
	}
	for (i = 0; i < n && !err; i++) {
		err = open_lane(&d->lanes[i], dir, &spools[i]);
		d->nlanes++;
		if (err)
			break;
		r = &d->readers[i % d->nreaders];
		r->lanes[r->n++] = &d->lanes[i];
	}
	if (err) {
		sm_drain_free(d);
		return err;
	}
	*drain = d;
	return NULL;
}

struct sm_error *sm_drain_start(struct sm_drain *d)
{
	size_t i;
	int errnum;

	for (i = 0; i < d->nreaders; i++) {
		errnum = pthread_create(&d->readers[i].thread, NULL, reader_run, &d->readers[i]);
		if (errnum)
			return sm_error_errno(errnum, NULL, "cannot start a thread", NULL);
		d->readers[i].started = true;
	}
	return NULL;
}

void sm_drain_finish(struct sm_drain *d)
{
	const uint64_t one = 1;
	size_t i;

	if (write(d->wake, &one, sizeof(one)) < 0)
		return; /* can't be: the counter is far from full */
	for (i = 0; i < d->nreaders; i++) {
		if (d->readers[i].started)
			pthread_join(d->readers[i].thread, NULL);
		d->readers[i].started = false;
	}
}

void sm_drain_free(struct sm_drain *d)
{
	size_t i;

	if (!d)
		return;
	if (d->wake >= 0) {
		sm_drain_finish(d);
		close(d->wake);
	}
	for (i = 0; i < d->nlanes; i++) {
		if (d->lanes[i].fd >= 0)
			close(d->lanes[i].fd);
		pthread_mutex_destroy(&d->lanes[i].lock);
	}
	for (i = 0; d->readers && i < d->nreaders; i++) {
		free(d->readers[i].lanes);
		free(d->readers[i].fds);
	}
	free(d->readers);
	free(d->lanes);
	free(d);
}
