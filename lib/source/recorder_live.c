/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording that is read, and may be saved, while it goes on. */
#include <stdlib.h>
#include <unistd.h>

#include "recording.h"

/* Compressed bytes that may wait for a reader who is busy: some ten seconds of a machine that does
 * nothing but allocate. */
#define MAX_WAITING (UINT64_C(256) << 20)
/* A record gets its time before it can be read: what is younger than so many ns is left to the next
 * sweep. */
#define SETTLED_NS UINT64_C(10000000)

static void take_packed(void *ctx, const struct sm_packed *packed)
{
	struct sm_recording *live = ctx;

	sm_keeper_add(live->keeper, packed);
	sm_taps_push(live->taps, packed);
}

struct sm_error *sm_recording_new(struct sm_recorder *rec)
{
	const struct sm_recorder_opts *o = &rec->opts;
	struct sm_recording *live = calloc(1, sizeof(*live));
	struct sm_error *err;

	rec->live = live;
	if (!live)
		return sm_error_nomem();
	err = sm_keeper_new(rec->spools, rec->ncpus, &rec->layout, o->size_limit, o->spool_dir,
		o->log, &live->keeper);
	if (!err)
		err = sm_taps_new(rec->ncpus, &rec->layout, MAX_WAITING, &live->taps);
	if (!err)
		err = sm_source_open(*rec->root ? rec->root : NULL, NULL, &live->files);
	if (!err)
		err = sm_recording_view(rec, &live->view);
	if (!err)
		sm_packer_divert(rec->packer, take_packed, live);
	return err;
}

void sm_recording_free(struct sm_recording *live)
{
	if (!live)
		return;
	sm_source_free(live->view);
	sm_source_free(live->files);
	sm_taps_free(live->taps);
	sm_keeper_free(live->keeper);
	free(live);
}

const struct sm_source *sm_recorder_source(const struct sm_recorder *rec)
{
	return rec->live->view;
}

/* What the trace clock says now; UINT64_MAX = nobody knows. */
static uint64_t clock_now(struct sm_recorder *rec)
{
	bool is_time = strcmp(rec->clock, "counter") && strcmp(rec->clock, "uptime") &&
		       strcmp(rec->clock, "x86-tsc");
	struct sm_buffer_stats st = {0};
	struct sm_buf text = {0};
	char path[PATH_MAX];
	uint64_t now = UINT64_MAX;

	sm_path_set(path, "%s/per_cpu/cpu%u/stats", rec->dir, rec->spools[0].cpu);
	if (sm_file_read(path, &text) == 0 && text.data)
		sm_buffer_stats_parse(text.data, &st);
	sm_buf_release(&text);
	if (st.has_now)
		now = st.now;
	else if (!strcmp(rec->clock, "mono"))
		now = sm_now_ns();
	if (now == UINT64_MAX || !is_time)
		return now;
	return now > SETTLED_NS ? now - SETTLED_NS : 0;
}

struct sm_error *sm_recorder_sweep(struct sm_recorder *rec, uint64_t *until)
{
	sm_packer_register_thread(rec->packer);
	*until = clock_now(rec);
	sm_drain_sweep(rec->drain);
	sm_packer_settle(rec->packer);
	return sm_packer_error(rec->packer);
}

static struct sm_error *put_pages(struct sm_recorder *rec, struct sm_archive *ar)
{
	struct sm_error *err = NULL;
	char name[PATH_MAX];

	for (size_t i = 0; i < rec->ncpus && !err; i++) {
		if (rec->opts.cancelled && rec->opts.cancelled(rec->opts.ctx))
			return sm_error_new(SM_E_STOPPED, NULL, "given up, nothing saved", NULL);
		sm_recorder_pages_name(rec, rec->spools[i].cpu, name, sizeof(name));
		err = sm_keeper_save(rec->live->keeper, i, name, ar);
	}
	return err;
}

/* saved_cmdlines is the caller's: the kernel forgets names. */
static struct sm_error *replace_comms(struct sm_recorder *rec, const struct sm_buf *comms)
{
	for (size_t i = 0; comms && i < rec->nmembers; i++) {
		struct sm_member *m = &rec->members[i];

		if (strcmp(m->name, SM_TRACING "/saved_cmdlines") != 0)
			continue;
		sm_buf_reset(&m->data);
		sm_buf_add(&m->data, comms->data, comms->len);
		return m->data.failed ? sm_error_nomem() : NULL;
	}
	return NULL;
}

static struct sm_error *write_now(
	struct sm_recorder *rec, int fd, const char *path, const struct sm_buf *comms)
{
	struct sm_archive *ar = NULL;
	struct sm_error *err = replace_comms(rec, comms);

	if (!err)
		err = sm_archive_new(fd, path, 3, &ar);
	if (!err)
		err = sm_recorder_write_members(rec, ar);
	if (!err)
		err = put_pages(rec, ar);
	if (err) {
		sm_archive_free(ar);
		return err;
	}
	return sm_archive_finish(ar);
}

struct sm_error *sm_recorder_save_now(
	struct sm_recorder *rec, int fd, const char *path, const struct sm_buf *comms)
{
	size_t members = rec->nmembers;
	struct sm_error *err;
	uint64_t until;

	err = sm_recorder_sweep(rec, &until);
	if (err)
		return err;
	sm_keeper_hold(rec->live->keeper);
	rec->stop_ns = sm_now_ns();
	sm_recorder_status(rec, &rec->last);
	err = sm_recorder_collect_last(rec);
	if (!err)
		err = write_now(rec, fd, path, comms);
	sm_recorder_forget_last(rec, members);
	rec->stop_ns = 0;
	sm_keeper_let_go(rec->live->keeper);
	return err;
}
