/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chunks of pages become zstd frames in spool files. Draining must never wait for it: a bounded
 * stock of chunks lies between, and the level follows what keeps up.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "recording.h"

#define CHUNK (1U << 20)
#define MAX_WORKERS 16
#define MAX_THREADS 128

/* What a worker compresses with, the fastest first, by how far it is behind. */
static const int levels[] = {-5, -1, 1, 3};
#define BEST (SM_ARRAY_SIZE(levels) - 1)

struct worker {
	struct sm_packer *packer;
	pthread_t thread;
	bool started;
	pthread_cond_t work;
	struct sm_chunk *first, **last;
	size_t queued;
	uint64_t pushed, done; /* chunks */
	size_t level;          /* index */
	unsigned idle;         /* chunks in a row that met an empty queue */
	void *cctx;
	struct sm_buf frame;
};

struct sm_packer {
	struct sm_tally_layout layout;
	const char *spool_dir;
	struct sm_spool *spools;
	size_t nspools;
	size_t chunk_size;
	pthread_mutex_t lock;
	pthread_cond_t freed, settled;
	unsigned settling;                                       /* threads that wait for it */
	void (*take)(void *ctx, const struct sm_packed *packed); /* NULL = into files */
	void *take_ctx;
	struct sm_chunk *stock; /* free ones */
	size_t nchunks, max_chunks;
	struct worker workers[MAX_WORKERS];
	unsigned nworkers;
	bool ending, limit_reached;
	uint64_t size_limit, raw, packed;
	struct sm_tally tally;
	struct sm_error *error;
	int fd;
	int32_t tids[MAX_THREADS];
	atomic_size_t ntids;
};

static void raise_fd(struct sm_packer *p)
{
	const uint64_t one = 1;

	if (write(p->fd, &one, sizeof(one)) < 0)
		return; /* it is readable already */
}

void sm_packer_register_thread(struct sm_packer *p)
{
	int32_t tid = (int32_t)syscall(SYS_gettid);
	size_t i, n;

	pthread_mutex_lock(&p->lock);
	n = atomic_load(&p->ntids);
	for (i = 0; i < n && p->tids[i] != tid; i++)
		;
	if (i == n && n < MAX_THREADS) {
		p->tids[n] = tid;
		atomic_store(&p->ntids, n + 1);
	}
	pthread_mutex_unlock(&p->lock);
}

static void fail_locked(struct sm_packer *p, struct sm_error *err)
{
	if (p->error)
		sm_error_free(err);
	else
		p->error = err;
	raise_fd(p);
}

void sm_packer_fail(struct sm_packer *p, struct sm_error *err)
{
	pthread_mutex_lock(&p->lock);
	fail_locked(p, err);
	pthread_mutex_unlock(&p->lock);
}

bool sm_packer_failed(struct sm_packer *p)
{
	bool failed;

	pthread_mutex_lock(&p->lock);
	failed = p->error != NULL;
	pthread_mutex_unlock(&p->lock);
	return failed;
}

/* Populated at once: faults would be events in the capture. */
static struct sm_chunk *chunk_new(struct sm_packer *p)
{
	struct sm_chunk *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->data = mmap(NULL, p->chunk_size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (c->data == MAP_FAILED) {
		free(c);
		return NULL;
	}
	return c;
}

static void chunk_free(struct sm_packer *p, struct sm_chunk *c)
{
	munmap(c->data, p->chunk_size);
	free(c);
}

struct sm_chunk *sm_packer_take(struct sm_packer *p)
{
	struct sm_chunk *c;

	pthread_mutex_lock(&p->lock);
	for (;;) {
		c = p->stock;
		if (c) {
			p->stock = c->next;
			break;
		}
		if (p->nchunks < p->max_chunks) {
			p->nchunks++;
			pthread_mutex_unlock(&p->lock);
			c = chunk_new(p);
			pthread_mutex_lock(&p->lock);
			if (c)
				break;
			p->max_chunks = --p->nchunks; /* memory is short: make do with these */
		}
		pthread_cond_wait(&p->freed, &p->lock);
	}
	pthread_mutex_unlock(&p->lock);
	c->next = NULL;
	c->len = 0;
	return c;
}

void sm_packer_give_back(struct sm_packer *p, struct sm_chunk *c)
{
	pthread_mutex_lock(&p->lock);
	c->next = p->stock;
	p->stock = c;
	pthread_cond_signal(&p->freed);
	pthread_mutex_unlock(&p->lock);
}

void sm_packer_push(struct sm_packer *p, struct sm_chunk *c)
{
	struct worker *w = &p->workers[c->spool->worker];

	pthread_mutex_lock(&p->lock);
	c->next = NULL;
	*w->last = c;
	w->last = &c->next;
	w->queued++;
	w->pushed++;
	pthread_cond_signal(&w->work);
	pthread_mutex_unlock(&p->lock);
}

/* Under the lock, before each chunk. */
static int choose_level(struct sm_packer *p, struct worker *w)
{
	size_t share = p->max_chunks / p->nworkers;

	w->idle = w->queued ? 0 : w->idle + 1;
	if (w->queued > share / 2)
		w->level = 0;
	else if (w->queued > share / 8 && w->level)
		w->level--;
	else if (w->idle >= 4 && w->level < BEST) {
		w->level++;
		w->idle = 0;
	}
	return levels[w->level];
}

static struct sm_error *pack(struct sm_packer *p, struct worker *w, const struct sm_chunk *c,
	int level, struct sm_tally *tally)
{
	struct sm_error *err;

	sm_tally_pages(&p->layout, c->data, c->len, p->tids, atomic_load(&p->ntids), tally);
	sm_buf_reset(&w->frame);
	err = sm_frame_compress(&w->cctx, level, c->data, c->len, &w->frame);
	if (!err && w->frame.failed)
		err = sm_error_nomem();
	if (!err && p->take) {
		p->take(p->take_ctx, &(struct sm_packed){
					     .index = (size_t)(c->spool - p->spools),
					     .frame = w->frame.data,
					     .len = w->frame.len,
					     .raw = c->len,
					     .records = tally->records,
					     .time = sm_page_time(&p->layout, c->data),
				     });
		return NULL;
	}
	if (!err)
		err = sm_page_spool_add(c->spool, p->spool_dir, w->frame.data, w->frame.len);
	return err;
}

static void *worker_run(void *arg)
{
	struct worker *w = arg;
	struct sm_packer *p = w->packer;
	struct sm_tally tally;
	struct sm_error *err;
	struct sm_chunk *c;
	int level;

	sm_packer_register_thread(p);
	pthread_mutex_lock(&p->lock);
	for (;;) {
		c = w->first;
		if (!c) {
			if (p->ending)
				break;
			pthread_cond_wait(&w->work, &p->lock);
			continue;
		}
		w->first = c->next;
		if (!w->first)
			w->last = &w->first;
		w->queued--;
		level = choose_level(p, w);
		err = NULL;
		if (!p->error) { /* after an error nothing is kept, but readers go on */
			pthread_mutex_unlock(&p->lock);
			memset(&tally, 0, sizeof(tally));
			err = pack(p, w, c, level, &tally);
			pthread_mutex_lock(&p->lock);
			p->tally.records += tally.records;
			p->tally.events += tally.events;
			p->tally.own += tally.own;
			p->raw += c->len;
			p->packed += w->frame.len;
			c->spool->raw += c->len;
			c->spool->packed += w->frame.len;
			if (err)
				fail_locked(p, err);
			if (p->size_limit && p->packed >= p->size_limit && !p->limit_reached) {
				p->limit_reached = true;
				raise_fd(p);
			}
		}
		w->done++;
		if (p->settling)
			pthread_cond_broadcast(&p->settled);
		c->next = p->stock;
		p->stock = c;
		pthread_cond_signal(&p->freed);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

void sm_packer_divert(
	struct sm_packer *p, void (*take)(void *ctx, const struct sm_packed *packed), void *ctx)
{
	p->take = take;
	p->take_ctx = ctx;
}

void sm_packer_settle(struct sm_packer *p)
{
	uint64_t pushed[MAX_WORKERS];
	unsigned i;

	pthread_mutex_lock(&p->lock);
	for (i = 0; i < p->nworkers; i++)
		pushed[i] = p->workers[i].pushed;
	p->settling++;
	for (i = 0; i < p->nworkers; i++)
		while (p->workers[i].done < pushed[i])
			pthread_cond_wait(&p->settled, &p->lock);
	p->settling--;
	pthread_mutex_unlock(&p->lock);
}

struct sm_error *sm_packer_new(struct sm_spool *spools, size_t n,
	const struct sm_tally_layout *layout, uint64_t size_limit, const char *spool_dir,
	struct sm_packer **packer)
{
	struct sm_packer *p = calloc(1, sizeof(*p));
	struct sm_chunk *c;
	unsigned i;
	size_t k;

	*packer = NULL;
	if (!p)
		return sm_error_nomem();
	p->layout = *layout;
	p->spool_dir = spool_dir;
	p->spools = spools;
	p->nspools = n;
	p->size_limit = size_limit;
	p->chunk_size = layout->page_size > CHUNK ? layout->page_size
						  : CHUNK / layout->page_size * layout->page_size;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->freed, NULL);
	pthread_cond_init(&p->settled, NULL);
	p->nworkers = (unsigned)(n / 4);
	p->nworkers = p->nworkers < 1 ? 1 : p->nworkers > MAX_WORKERS ? MAX_WORKERS : p->nworkers;
	for (i = 0; i < p->nworkers; i++) {
		p->workers[i].packer = p;
		p->workers[i].last = &p->workers[i].first;
		p->workers[i].level = BEST;
		pthread_cond_init(&p->workers[i].work, NULL);
	}
	for (k = 0; k < n; k++) {
		spools[k].fd = -1;
		spools[k].worker = (unsigned)(k % p->nworkers);
	}
	/* One being filled a CPU, and as many again, and 64, between reader and worker. */
	p->max_chunks = 2 * n + 64;
	p->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (p->fd < 0) {
		int errnum = errno;

		sm_packer_free(p);
		return sm_error_errno(errnum, NULL, "cannot make an event descriptor", NULL);
	}
	/* Every CPU's first, and some, before the capture rather than in it. */
	while (p->nchunks < n + 8) {
		c = chunk_new(p);
		if (!c) {
			sm_packer_free(p);
			return sm_error_nomem();
		}
		p->nchunks++;
		c->next = p->stock;
		p->stock = c;
	}
	sm_packer_register_thread(p);
	*packer = p;
	return NULL;
}

size_t sm_packer_chunk_size(const struct sm_packer *p)
{
	return p->chunk_size;
}

struct sm_error *sm_packer_start(struct sm_packer *p)
{
	unsigned i;
	int errnum;

	for (i = 0; i < p->nworkers; i++) {
		errnum = pthread_create(&p->workers[i].thread, NULL, worker_run, &p->workers[i]);
		if (errnum)
			return sm_error_errno(errnum, NULL, "cannot start a thread", NULL);
		p->workers[i].started = true;
	}
	return NULL;
}

struct sm_error *sm_packer_error(struct sm_packer *p)
{
	struct sm_error *err;

	pthread_mutex_lock(&p->lock);
	err = p->error ? sm_error_copy(p->error) : NULL;
	pthread_mutex_unlock(&p->lock);
	return err;
}

int sm_packer_fd(const struct sm_packer *p)
{
	return p->fd;
}

bool sm_packer_limit_reached(struct sm_packer *p)
{
	bool reached;

	pthread_mutex_lock(&p->lock);
	reached = p->limit_reached;
	pthread_mutex_unlock(&p->lock);
	return reached;
}

void sm_packer_status(struct sm_packer *p, struct sm_recorder_status *st)
{
	size_t i, worst = BEST;

	pthread_mutex_lock(&p->lock);
	for (i = 0; i < p->nworkers; i++)
		if (p->workers[i].level < worst)
			worst = p->workers[i].level;
	st->level = levels[worst];
	st->raw_bytes = p->raw;
	st->disk_bytes = p->packed;
	st->saved_records = p->tally.records;
	st->events = p->tally.events;
	st->own_events = p->tally.own;
	st->cpus = 0;
	for (i = 0; i < p->nspools; i++)
		st->cpus += p->spools[i].raw > 0;
	pthread_mutex_unlock(&p->lock);
}

struct sm_error *sm_packer_finish(struct sm_packer *p)
{
	struct sm_error *err;
	unsigned i;
	size_t k;

	pthread_mutex_lock(&p->lock);
	p->ending = true;
	for (i = 0; i < p->nworkers; i++)
		pthread_cond_broadcast(&p->workers[i].work);
	pthread_mutex_unlock(&p->lock);
	for (i = 0; i < p->nworkers; i++) {
		if (p->workers[i].started)
			pthread_join(p->workers[i].thread, NULL);
		p->workers[i].started = false;
	}
	err = p->error;
	p->error = NULL;
	for (k = 0; k < p->nspools && !err; k++)
		err = sm_page_spool_end(&p->spools[k], p->spool_dir);
	return err;
}

void sm_packer_free(struct sm_packer *p)
{
	struct sm_chunk *c;
	size_t i;

	if (!p)
		return;
	sm_error_free(sm_packer_finish(p));
	for (i = 0; i < p->nworkers; i++) {
		sm_frame_release(&p->workers[i].cctx);
		sm_buf_release(&p->workers[i].frame);
		pthread_cond_destroy(&p->workers[i].work);
	}
	for (i = 0; i < p->nspools; i++)
		sm_page_spool_release(&p->spools[i]);
	while ((c = p->stock)) {
		p->stock = c->next;
		chunk_free(p, c);
	}
	if (p->fd >= 0)
		close(p->fd);
	pthread_cond_destroy(&p->freed);
	pthread_cond_destroy(&p->settled);
	pthread_mutex_destroy(&p->lock);
	free(p);
}
