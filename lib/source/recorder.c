/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The life of a recording. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "recording.h"

static struct sm_error *find_cpus(struct sm_recorder *rec)
{
	char path[PATH_MAX];
	struct sm_names names;
	unsigned long cpu;
	char *end;
	size_t i;
	int errnum;

	sm_path_set(path, "%s/per_cpu", rec->dir);
	errnum = sm_dir_names(path, &names);
	if (errnum)
		return sm_tracefs_error(rec->root, errnum, path, "cannot list CPUs");
	for (i = 0; i < names.n; i++) {
		if (strncmp(names.names[i], "cpu", 3) || !names.names[i][3])
			continue;
		cpu = strtoul(names.names[i] + 3, &end, 10);
		if (*end || cpu > 65535)
			continue;
		if (!sm_grow(&rec->spools, &rec->cpus_cap, rec->ncpus + 1, sizeof(*rec->spools))) {
			sm_names_release(&names);
			return sm_error_nomem();
		}
		rec->spools[rec->ncpus++] = (struct sm_spool){.cpu = (unsigned)cpu, .fd = -1};
	}
	sm_names_release(&names);
	if (!rec->ncpus)
		return sm_error_new(SM_E_MISSING, path, "no CPU has a trace buffer", NULL);
	rec->before = calloc(rec->ncpus, sizeof(*rec->before));
	rec->now = calloc(rec->ncpus, sizeof(*rec->now));
	return rec->before && rec->now ? NULL : sm_error_nomem();
}

static struct sm_error *prepare(struct sm_recorder *rec)
{
	struct sm_error *err;
	uint64_t kb;

	err = sm_tracefs_find(rec->root, &rec->tracefs);
	if (!err)
		err = sm_undo_init(&rec->undo, rec->root, rec->tracefs, rec->opts.log);
	if (err)
		return err;
	sm_undo_sweep(rec->root, rec->tracefs, rec->opts.log);
	err = sm_recorder_choose_events(rec);
	if (!err)
		err = sm_recorder_choose_buffer(rec);
	if (!err)
		err = sm_recorder_configure(rec);
	if (!err)
		err = find_cpus(rec);
	if (!err)
		err = sm_recorder_collect_first(rec);
	if (err)
		return err;
	kb = rec->opts.buffer_kb ? rec->opts.buffer_kb : SM_RECORDER_BUFFER_KB;
	err = sm_packer_new(rec->spools, rec->ncpus, &rec->layout,
		rec->opts.live ? 0 : rec->opts.size_limit, rec->opts.spool_dir, &rec->packer);
	if (!err && rec->opts.live)
		err = sm_recording_new(rec);
	if (!err)
		err = sm_drain_new(rec->dir, rec->spools, rec->ncpus, &rec->layout, kb, rec->packer,
			&rec->drain);
	return err;
}

struct sm_error *sm_recorder_new(const struct sm_recorder_opts *opts, struct sm_recorder **out)
{
	struct sm_recorder *rec = calloc(1, sizeof(*rec));
	struct sm_error *err;

	*out = NULL;
	if (!rec)
		return sm_error_nomem();
	rec->opts = *opts;
	if (opts->live)
		rec->opts.stackmap = SM_RECORDER_MAP_NO;
	rec->root = opts->root ? opts->root : "";
	rec->map_fd = -1;
	rec->undo.fd = -1;
	rec->generation = "unknown";
	err = prepare(rec);
	if (err) {
		sm_recorder_free(rec);
		return err;
	}
	*out = rec;
	return NULL;
}

struct sm_error *sm_recorder_start(struct sm_recorder *rec)
{
	struct sm_error *err;

	err = sm_packer_start(rec->packer);
	if (!err)
		err = sm_drain_start(rec->drain);
	if (err)
		return err;
	sm_recorder_read_stats(rec, rec->before);
	rec->start_time = (int64_t)time(NULL);
	rec->start_ns = sm_now_ns();
	err = sm_recorder_set(rec, "tracing_on", "1");
	rec->running = !err;
	return err;
}

int sm_recorder_fd(const struct sm_recorder *rec)
{
	return sm_packer_fd(rec->packer);
}

bool sm_recorder_limit_reached(const struct sm_recorder *rec)
{
	return sm_packer_limit_reached(rec->packer);
}

static void read_map_stat(struct sm_recorder *rec, struct sm_recorder_status *st)
{
	unsigned long long entries, capacity;
	struct sm_buf text = {0};
	char path[PATH_MAX];
	const char *p;

	if (rec->name)
		return;
	sm_path_set(path, "%s/stack_map_stat", rec->tracefs);
	if (sm_file_read(path, &text) == 0 && text.data) {
		p = strstr(text.data, "entries:");
		if (p && sscanf(p, "entries: %llu / %llu", &entries, &capacity) == 2) {
			st->has_map = true;
			st->map_entries = entries;
			st->map_capacity = capacity;
		}
	}
	sm_buf_release(&text);
}

void sm_recorder_status(struct sm_recorder *rec, struct sm_recorder_status *st)
{
	const struct sm_buffer_stats *a, *b;
	size_t i;

	if (rec->stopped) {
		*st = rec->last;
		return;
	}
	memset(st, 0, sizeof(*st));
	if (rec->start_ns)
		st->elapsed_ns = (rec->stop_ns ? rec->stop_ns : sm_now_ns()) - rec->start_ns;
	sm_packer_status(rec->packer, st);
	sm_recorder_read_stats(rec, rec->now);
	for (i = 0; i < rec->ncpus; i++) {
		a = &rec->before[i];
		b = &rec->now[i];
		st->records += b->entries + b->read - a->entries - a->read;
		st->lost += b->overrun + b->commit_overrun + b->dropped - a->overrun -
			    a->commit_overrun - a->dropped;
	}
	read_map_stat(rec, st);
	if (rec->live)
		sm_keeper_status(rec->live->keeper, &st->kept_bytes, &st->kept_all);
}

static struct sm_error *cancelled(const struct sm_recorder *rec)
{
	if (rec->opts.cancelled && rec->opts.cancelled(rec->opts.ctx))
		return sm_error_new(SM_E_STOPPED, NULL, "given up, nothing saved", NULL);
	return NULL;
}

/* Readers first: what they pushed, the packer then ends with. */
static struct sm_error *finish_threads(struct sm_recorder *rec)
{
	sm_drain_finish(rec->drain);
	return sm_packer_finish(rec->packer);
}

struct sm_error *sm_recorder_stop(struct sm_recorder *rec)
{
	struct sm_error *err, *other;

	err = sm_recorder_set(rec, "tracing_on", "0");
	rec->stop_ns = sm_now_ns();
	rec->running = false;
	other = finish_threads(rec);
	if (err)
		sm_error_free(other);
	else
		err = other;
	if (!err)
		err = cancelled(rec);
	if (!err) {
		sm_recorder_status(rec, &rec->last);
		err = sm_recorder_collect_last(rec);
		rec->stopped = true;
	}
	sm_drain_free(rec->drain); /* an instance can't go while its files are open */
	rec->drain = NULL;
	if (rec->map_fd >= 0)
		close(rec->map_fd);
	rec->map_fd = -1;
	sm_undo_run(&rec->undo);
	return err;
}

void sm_recorder_pages_name(const struct sm_recorder *rec, unsigned cpu, char *name, size_t size)
{
	snprintf(name, size, SM_TRACING "%s%s/per_cpu/cpu%u/trace_pipe_raw",
		rec->name ? "/instances/" : "", rec->name ? rec->name : "", cpu);
}

static struct sm_error *add_pages(struct sm_recorder *rec, struct sm_archive *ar)
{
	struct sm_error *err = NULL;
	struct sm_spool *s;
	char name[256];
	size_t i;

	for (i = 0; i < rec->ncpus && !err; i++) {
		s = &rec->spools[i];
		if (s->fd < 0)
			continue;
		err = cancelled(rec);
		if (err)
			break;
		sm_recorder_pages_name(rec, s->cpu, name, sizeof(name));
		err = sm_archive_add_frames(ar, name, s->raw, s->fd, s->packed);
		sm_page_spool_release(s); /* its room is free for the next */
	}
	return err;
}

struct sm_error *sm_recorder_save(struct sm_recorder *rec)
{
	struct sm_archive *ar = NULL;
	struct sm_error *err;
	off_t size;

	err = sm_archive_new(rec->opts.output_fd, rec->opts.output, 3, &ar);
	if (!err)
		err = sm_recorder_write_members(rec, ar);
	if (!err)
		err = add_pages(rec, ar);
	if (!err)
		err = cancelled(rec);
	if (err) {
		sm_archive_free(ar);
		return err;
	}
	err = sm_archive_finish(ar);
	size = lseek(rec->opts.output_fd, 0, SEEK_CUR);
	if (!err && size > 0)
		rec->last.archive_bytes = (uint64_t)size;
	return err;
}

void sm_recorder_free(struct sm_recorder *rec)
{
	size_t i;

	if (!rec)
		return;
	if (rec->running)
		sm_error_free(sm_recorder_set(rec, "tracing_on", "0"));
	sm_drain_free(rec->drain);
	sm_packer_free(rec->packer);
	sm_recording_free(rec->live);
	if (rec->map_fd >= 0)
		close(rec->map_fd);
	sm_undo_release(&rec->undo);
	sm_event_refs_release(&rec->events);
	sm_names_release(&rec->modules);
	sm_names_release(&rec->unloaded);
	for (i = 0; i < rec->nmembers; i++) {
		free(rec->members[i].name);
		sm_buf_release(&rec->members[i].data);
	}
	free(rec->members);
	free(rec->spools);
	free(rec->before);
	free(rec->now);
	free(rec->tracefs);
	free(rec->dir);
	free(rec->name);
	free(rec);
}

const char *sm_recorder_instance(const struct sm_recorder *rec)
{
	return rec->name;
}

const char *sm_recorder_clock(const struct sm_recorder *rec)
{
	return rec->clock;
}
