/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compressed pages that are kept while a recording goes on, in case it is saved. Where there is a
 * limit, each CPU's pages are divided into runs, and the oldest run goes when there is too much;
 * its room is given back to the file system. A page in its place tells what is missing.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "internal.h"
#include "recording.h"

#define RUNS 64 /* of a CPU, when all are as busy and the limit is reached */
#define MIN_RUN (UINT64_C(64) << 10)

struct run {
	struct run *next;
	size_t index;
	uint64_t packed, raw, records;
	uint64_t end; /* time of what comes after it */
};

struct kept {
	pthread_mutex_t stage;     /* of the spool's end */
	uint64_t first, end;       /* bytes of the spool */
	uint64_t raw;              /* of those, before they were compressed */
	uint64_t gone, gone_until; /* records before them, and the time of what is left */
	uint64_t late, late_from;  /* records after them, and the time of the first */
	struct run now;            /* the one that grows */
};

struct sm_keeper {
	struct sm_spool *spools;
	struct kept *v;
	size_t n;
	struct sm_tally_layout layout;
	const char *dir;
	const struct sm_log *log;
	uint64_t limit, run_size;
	pthread_mutex_t lock; /* of all but the stages */
	uint64_t bytes;
	struct run *first, **last;
	bool full, dropped; /* nothing more is kept; the oldest went */
	unsigned held;
};

struct sm_error *sm_keeper_new(struct sm_spool *spools, size_t n,
	const struct sm_tally_layout *layout, uint64_t limit, const char *dir,
	const struct sm_log *log, struct sm_keeper **out)
{
	struct sm_keeper *k = calloc(1, sizeof(*k));

	*out = NULL;
	if (k)
		k->v = calloc(n + 1, sizeof(*k->v));
	if (!k || !k->v) {
		free(k);
		return sm_error_nomem();
	}
	k->spools = spools;
	k->n = n;
	k->layout = *layout;
	k->dir = dir;
	k->log = log;
	k->limit = limit;
	k->run_size = limit / RUNS / (n ? n : 1);
	if (k->run_size < MIN_RUN)
		k->run_size = MIN_RUN;
	k->last = &k->first;
	pthread_mutex_init(&k->lock, NULL);
	for (size_t i = 0; i < n; i++)
		pthread_mutex_init(&k->v[i].stage, NULL);
	*out = k;
	return NULL;
}

/* Under the lock: the run that grows is long enough. Without memory it goes on growing. */
static void end_run(struct sm_keeper *k, struct kept *kept, const struct sm_packed *packed)
{
	struct run *run = malloc(sizeof(*run));

	if (!run)
		return;
	*run = kept->now;
	run->next = NULL;
	run->index = packed->index;
	run->end = packed->time;
	*k->last = run;
	k->last = &run->next;
	kept->now = (struct run){0};
}

/* Under the lock: the oldest run goes. Returns the spool that it was in, whose room up to *offset
 * can be given back; NULL = it isn't to go. */
static struct sm_spool *drop_run(struct sm_keeper *k, uint64_t *offset)
{
	struct run *run = k->first;
	struct kept *kept;
	size_t index;

	if (!run || k->held || !k->limit || k->bytes <= k->limit)
		return NULL;
	k->first = run->next;
	if (!k->first)
		k->last = &k->first;
	index = run->index;
	kept = &k->v[index];
	kept->first += run->packed;
	kept->raw -= run->raw;
	kept->gone += run->records;
	kept->gone_until = run->end;
	k->bytes -= run->packed;
	k->dropped = true;
	*offset = kept->first;
	free(run);
	return &k->spools[index];
}

/* Under the lock. */
static void leave_out(struct kept *kept, const struct sm_packed *packed)
{
	if (!kept->late)
		kept->late_from = packed->time;
	kept->late += packed->records;
}

static void give_up(struct sm_keeper *k, struct sm_error *err)
{
	k->full = true;
	sm_log_error(k->log, SM_WARN, err, "; what comes from now on can't be saved");
}

void sm_keeper_add(struct sm_keeper *k, const struct sm_packed *packed)
{
	struct kept *kept = &k->v[packed->index];
	struct sm_error *err;
	struct sm_spool *spool;
	uint64_t offset;

	pthread_mutex_lock(&k->lock);
	if (k->full) {
		leave_out(kept, packed);
		pthread_mutex_unlock(&k->lock);
		return;
	}
	pthread_mutex_unlock(&k->lock);
	pthread_mutex_lock(&kept->stage);
	err = sm_page_spool_add(&k->spools[packed->index], k->dir, packed->frame, packed->len);
	pthread_mutex_unlock(&kept->stage);
	pthread_mutex_lock(&k->lock);
	if (err) {
		leave_out(kept, packed);
		give_up(k, err);
		pthread_mutex_unlock(&k->lock);
		return;
	}
	if (k->limit && kept->now.packed >= k->run_size)
		end_run(k, kept, packed);
	kept->end += packed->len;
	kept->raw += packed->raw;
	kept->now.packed += packed->len;
	kept->now.raw += packed->raw;
	kept->now.records += packed->records;
	k->bytes += packed->len;
	while ((spool = drop_run(k, &offset))) {
		pthread_mutex_unlock(&k->lock);
		if (!sm_page_spool_forget(spool, offset)) {
			pthread_mutex_lock(&k->lock);
			give_up(k, sm_error_new(SM_E_UNSUPPORTED, k->dir,
					   "the file system can't give back room", NULL));
			break;
		}
		pthread_mutex_lock(&k->lock);
	}
	pthread_mutex_unlock(&k->lock);
}

void sm_keeper_status(struct sm_keeper *k, uint64_t *bytes, bool *all)
{
	pthread_mutex_lock(&k->lock);
	*bytes = k->bytes;
	*all = !k->full && !k->dropped;
	pthread_mutex_unlock(&k->lock);
}

void sm_keeper_hold(struct sm_keeper *k)
{
	pthread_mutex_lock(&k->lock);
	k->held++;
	pthread_mutex_unlock(&k->lock);
}

void sm_keeper_let_go(struct sm_keeper *k)
{
	pthread_mutex_lock(&k->lock);
	k->held--;
	pthread_mutex_unlock(&k->lock);
}

static struct sm_error *put_loss(
	struct sm_keeper *k, struct sm_archive *ar, uint64_t time, uint64_t records)
{
	uint8_t *page = malloc(k->layout.page_size);
	struct sm_error *err = NULL;
	struct sm_buf frame = {0};
	void *cctx = NULL;

	if (!page)
		return sm_error_nomem();
	sm_loss_page(&k->layout, time, records, page);
	err = sm_frame_compress(&cctx, 3, page, k->layout.page_size, &frame);
	if (!err)
		err = sm_archive_put_frames(ar, frame.data, frame.len);
	sm_frame_release(&cctx);
	sm_buf_release(&frame);
	free(page);
	return err;
}

static struct sm_error *put_frames(struct sm_keeper *k, size_t index, struct sm_archive *ar,
	uint64_t from, uint64_t end, uint8_t *block, uint8_t *tail)
{
	const struct sm_spool *spool = &k->spools[index];
	struct kept *kept = &k->v[index];
	struct sm_error *err = NULL;
	const uint8_t *data;
	size_t len;

	while (from < end && !err) {
		pthread_mutex_lock(&kept->stage);
		err = sm_page_spool_read(spool, k->dir, from, block, &data, &len);
		len = len < end - from ? len : (size_t)(end - from);
		/* The stage is somebody else's as soon as the lock is. */
		if (!err && from >= spool->written) {
			memcpy(tail, data, len);
			data = tail;
		}
		pthread_mutex_unlock(&kept->stage);
		if (!err)
			err = sm_archive_put_frames(ar, data, len);
		from += len;
	}
	return err;
}

struct sm_error *sm_keeper_save(
	struct sm_keeper *k, size_t index, const char *name, struct sm_archive *ar)
{
	uint64_t page_size = k->layout.page_size;
	size_t block = sm_page_spool_block();
	struct sm_error *err;
	struct kept kept;
	uint8_t *buf;

	pthread_mutex_lock(&k->lock);
	kept = k->v[index];
	pthread_mutex_unlock(&k->lock);
	if (kept.first == kept.end && !kept.gone && !kept.late)
		return NULL;
	buf = mmap(NULL, 2 * block, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (buf == MAP_FAILED)
		return sm_error_nomem();
	err = sm_archive_begin_frames(
		ar, name, kept.raw + (kept.gone ? page_size : 0) + (kept.late ? page_size : 0));
	if (!err && kept.gone)
		err = put_loss(k, ar, kept.gone_until, kept.gone);
	if (!err)
		err = put_frames(k, index, ar, kept.first, kept.end, buf, buf + block);
	if (!err && kept.late)
		err = put_loss(k, ar, kept.late_from, kept.late);
	munmap(buf, 2 * block);
	return err;
}

void sm_keeper_free(struct sm_keeper *k)
{
	struct run *run;

	if (!k)
		return;
	while ((run = k->first)) {
		k->first = run->next;
		free(run);
	}
	for (size_t i = 0; i < k->n; i++)
		pthread_mutex_destroy(&k->v[i].stage);
	pthread_mutex_destroy(&k->lock);
	free(k->v);
	free(k);
}
