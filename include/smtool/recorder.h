/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recorder: the writing side of the room `source`: captures from the running kernel through tracefs
 * into an archive that sm_source_open() reads. See smtool-record(1), smtool-capture(5).
 *
 * Life: new (checks, instance, settings; tracing off) - start - [status]... - stop (drained,
 * tracefs as it was) - save - free. Free undoes whatever is left to undo, at any point.
 */
#ifndef SMTOOL_RECORDER_H
#define SMTOOL_RECORDER_H

#include <smtool/base.h>
#include <smtool/source.h>

enum sm_recorder_map {
	SM_RECORDER_MAP_AUTO, /* the stack map where the kernel has one and nobody else traces */
	SM_RECORDER_MAP_YES,  /* SM_E_UNSUPPORTED where the kernel has none */
	SM_RECORDER_MAP_NO,
};

/* All strings are borrowed until sm_recorder_free(). */
struct sm_recorder_opts {
	const char
		*root; /* what stands for "/" before proc, sys and run; NULL = "" (tests set it) */
	int output_fd; /* the archive goes there, from its current position; the caller's */
	const char *output; /* names it in messages */
	/* Where pages are kept until then, in files without a name; best on the output's file
	 * system. */
	const char *spool_dir;
	const char *const *events; /* patterns: SYSTEM:EVENT, EVENT, SYSTEM; `*` and `?` match */
	size_t nevents;
	bool slab, page;      /* the kmem events; without any events at all, slab is meant */
	uint64_t buffer_kb;   /* per CPU; 0 = SM_RECORDER_BUFFER_KB */
	uint64_t size_limit;  /* compressed bytes of pages, 0 = none; live: older ones then go */
	const char *clock;    /* NULL = choose */
	const char *instance; /* NULL = a name of its own; it must not exist yet */
	enum sm_recorder_map stackmap;
	/* Pages can be read and saved while it goes on, and not at its end: then no output and no
	 * stack map, and always an instance. */
	bool live;
	const char *command; /* for smtool.json: what was run; NULL = nothing */
	const struct sm_log *log;
	/* Asked between steps of stop and save: true = give up with SM_E_STOPPED. May be NULL. */
	bool (*cancelled)(void *ctx);
	void *ctx;
};

#define SM_RECORDER_BUFFER_KB 8192

struct sm_recorder_status {
	uint64_t elapsed_ns;    /* since the start, up to the stop */
	uint64_t records;       /* written by the kernel: events and their stacks */
	uint64_t lost;          /* records: overwritten before they were read, or dropped */
	uint64_t disk_bytes;    /* compressed pages so far */
	uint64_t archive_bytes; /* once saved */
	uint64_t raw_bytes;     /* pages before compression */
	uint64_t saved_records; /* records in the pages compressed so far */
	uint64_t events;        /* records that aren't stacks, in the pages compressed so far */
	uint64_t own_events;    /* those of them that the recorder's own threads caused */
	unsigned cpus;          /* with pages */
	int level;              /* zstd's, lowest in use */
	bool has_map;           /* the next two are known */
	uint64_t map_entries, map_capacity;
	/* Of a live recording: compressed pages that sm_recorder_save_now() would write, and that
	 * these are all. */
	uint64_t kept_bytes;
	bool kept_all;
};

struct sm_recorder;

/*
 * Removes what recorders that were killed left behind, then prepares a capture with tracing still
 * off. Errors: SM_E_MISSING (no tracefs, no such event), SM_E_IO (no permission, no room),
 * SM_E_REFUSED (kernel lockdown, an instance of that name exists, the global buffer is in use),
 * SM_E_UNSUPPORTED (no stack map), SM_E_USAGE (clock, instance name). On error all is undone.
 */
struct sm_error *sm_recorder_new(
	const struct sm_recorder_opts *opts, struct sm_recorder **rec) SM_MUST_CHECK;
/* Starts the readers, then tracing. */
struct sm_error *sm_recorder_start(struct sm_recorder *rec) SM_MUST_CHECK;
/* A descriptor that becomes readable when the capture should be stopped: its size limit is reached,
 * or a thread met an error, which sm_recorder_stop() returns. */
int sm_recorder_fd(const struct sm_recorder *rec);
bool sm_recorder_limit_reached(const struct sm_recorder *rec);
/* Reads the kernel's counters while the capture runs: for about one call a second. */
void sm_recorder_status(struct sm_recorder *rec, struct sm_recorder_status *st);
/* Stops tracing, drains the buffers, collects what must be read now, and restores tracefs. */
struct sm_error *sm_recorder_stop(struct sm_recorder *rec) SM_MUST_CHECK;
/* Writes the archive. */
struct sm_error *sm_recorder_save(struct sm_recorder *rec) SM_MUST_CHECK;
/* Undoes what is left to undo; what was not saved is gone. */
void sm_recorder_free(struct sm_recorder *rec);

/* ---- of a live recording, between start and free, in one thread at a time ---- */

/* The running system with the recording's pages, each to be streamed once: what it has read so far,
 * and more later (sm_stream_goes_on()). Borrowed; its streams must be freed before the recording.
 */
const struct sm_source *sm_recorder_source(const struct sm_recorder *rec);
/* Reads what all CPUs' buffers have: then the streams have all records up to *until, a time of the
 * trace clock (UINT64_MAX: nobody knows this clock), but for those that were lost. Errors are those
 * of the threads, and end it. */
struct sm_error *sm_recorder_sweep(struct sm_recorder *rec, uint64_t *until) SM_MUST_CHECK;
/* Writes a capture of what was recorded up to now, and goes on. `comms` (NULL = the kernel's):
 * lines "PID NAME", as in saved_cmdlines, in its place. */
struct sm_error *sm_recorder_save_now(struct sm_recorder *rec, int fd, const char *path,
	const struct sm_buf *comms) SM_MUST_CHECK;

/* The instance's name, NULL = the global buffer with the stack map. */
const char *sm_recorder_instance(const struct sm_recorder *rec);
const char *sm_recorder_clock(const struct sm_recorder *rec);

#endif
