/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the recorder's files share. Private to them. */
#ifndef SMTOOL_SOURCE_RECORDING_H
#define SMTOOL_SOURCE_RECORDING_H

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <smtool/recorder.h>

/* ---- tracefs.c: finding tracefs; its small files ---- */

/* Formats into a buffer of PATH_MAX; an empty string, which no file has as its name, when it
 * doesn't fit. */
void sm_path_set(char *path, const char *fmt, ...) SM_PRINTF(2, 3);

/* *path (owned by the caller) is where tracefs is mounted below `root`. */
struct sm_error *sm_tracefs_find(const char *root, char **path) SM_MUST_CHECK;
/* A failed open or write in words, with what to do where that is known. */
struct sm_error *sm_tracefs_error(
	const char *root, int errnum, const char *path, const char *what) SM_MUST_CHECK;
/* Appends a file to `buf`, read to its end. 0 or an errno. */
int sm_file_read(const char *path, struct sm_buf *buf);
/* Opens (truncating: an ordinary file in a test, or a list that is to be replaced) and writes
 * `text` in one go. 0 or an errno. */
int sm_file_write(const char *path, const char *text);
bool sm_file_exists(const char *path);
/* The first line without its newline, at most size - 1 bytes. 0 or an errno. */
int sm_file_line(const char *path, char *line, size_t size);

/* The names below `dir`, sorted, without those that begin with a dot. 0 or an errno. */
int sm_dir_names(const char *dir, struct sm_names *names);
/* Those that begin with a dot, too, but not "." and "..". */
int sm_dir_names_all(const char *dir, struct sm_names *names);

struct sm_event_ref {
	char *system, *name;
};
struct sm_event_refs {
	struct sm_event_ref *items;
	size_t n, cap;
};
/* Adds the events that match `pattern`, each once. *matches counts them, those already there too.
 */
struct sm_error *sm_event_refs_add(struct sm_event_refs *refs, const char *tracefs,
	const char *pattern, size_t *matches) SM_MUST_CHECK;
void sm_event_refs_release(struct sm_event_refs *refs);

/* The clock to use among those in `offered`, the text of a trace_clock file; NULL when `want` isn't
 * there, or nothing is. `slow_source`: reading the system's clock source costs a device access. */
const char *sm_clock_choose(const char *offered, const char *want, bool slow_source);
bool sm_clock_source_is_slow(const char *root);
/* The one in brackets, "" when there is none. */
void sm_clock_current(const char *offered, char *name, size_t size);

struct sm_buffer_stats {
	uint64_t entries, overrun, commit_overrun, dropped, read;
	bool has_now;
	uint64_t now; /* of the trace clock: ns, or its own unit */
};
void sm_buffer_stats_parse(const char *text, struct sm_buffer_stats *st);

/* ---- undo.c: what a recorder changed outside its instance, on disk in case it is killed ---- */

struct sm_undo {
	char *root, *tracefs;
	char *path; /* the file, NULL = none could be made */
	int fd;
	char **lines; /* "set\tPATH\tVALUE" or "remove\tINSTANCE", in the order of the changes */
	size_t n, cap;
	const struct sm_log *log;
};

struct sm_error *sm_undo_init(struct sm_undo *u, const char *root, const char *tracefs,
	const struct sm_log *log) SM_MUST_CHECK;
/* Before the change: file `name` below tracefs is to get `value` again. */
struct sm_error *sm_undo_set(struct sm_undo *u, const char *name, const char *value) SM_MUST_CHECK;
/* Before it is made: an instance is to be removed. */
struct sm_error *sm_undo_remove(struct sm_undo *u, const char *instance) SM_MUST_CHECK;
/* Undoes all, last change first; what can't be undone is logged. Fine to call again. */
void sm_undo_run(struct sm_undo *u);
void sm_undo_release(struct sm_undo *u);
/* Undoes for recorders that are gone. */
void sm_undo_sweep(const char *root, const char *tracefs, const struct sm_log *log);
/* Start time of a process in clock ticks since boot, 0 when there is no such process. */
uint64_t sm_process_start(const char *root, long pid);

/* ---- tally.c: counting the records of pages ---- */

struct sm_tally_layout {
	uint32_t page_size, data_offset, commit_offset, long_size, time_offset;
	uint32_t type_offset, pid_offset; /* in a payload */
	int32_t stack_types[3];           /* kernel_stack, stack_id, user_stack; -1 = none */
};

struct sm_tally {
	uint64_t records, events,
		own; /* all, those that aren't stacks, those of the recorder's threads */
};

/* Reads the figures from header_page's text, and those that a payload has from any event's format.
 */
struct sm_error *sm_tally_layout_parse(
	struct sm_tally_layout *l, const char *path, const char *header_page) SM_MUST_CHECK;
bool sm_tally_common_parse(struct sm_tally_layout *l, const char *format);
int32_t sm_tally_event_id(const char *format);
/* Adds what `pages` holds. `pids` are the recorder's own threads. */
void sm_tally_pages(const struct sm_tally_layout *l, const uint8_t *pages, size_t len,
	const int32_t *pids, size_t npids, struct sm_tally *t);

/* Time of a page's first record. */
static inline uint64_t sm_page_time(const struct sm_tally_layout *l, const uint8_t *page)
{
	return sm_load64(page + l->time_offset, false);
}
/* Makes a page (l->page_size bytes) without records that tells, as the kernel does, that so many
 * are missing before this time. */
void sm_loss_page(const struct sm_tally_layout *l, uint64_t time, uint64_t records, uint8_t *page);

/* ---- packer.c: chunks of pages, compressed by threads of their own into spool files ---- */

struct sm_spool {
	unsigned cpu;
	int fd; /* -1 = no pages came */
	unsigned worker;
	uint8_t *stage; /* what waits to be written; NULL until pages come */
	size_t staged;
	uint64_t written;     /* bytes in the file: whole stages until sm_page_spool_end() */
	uint64_t raw, packed; /* bytes; under the packer's lock while it runs */
};

struct sm_chunk {
	struct sm_chunk *next;
	struct sm_spool *spool;
	size_t len;
	uint8_t *data; /* sm_packer_chunk_size() bytes */
};

struct sm_packer;

/* A chunk that was compressed: `index` of its spool, `records` in `raw` bytes of pages, the first
 * of which is of `time`. */
struct sm_packed {
	size_t index;
	const char *frame;
	size_t len, raw;
	uint64_t records, time;
};

/* `spools` (borrowed) have cpu set. `spool_dir` must take a file. */
struct sm_error *sm_packer_new(struct sm_spool *spools, size_t n,
	const struct sm_tally_layout *layout, uint64_t size_limit, const char *spool_dir,
	struct sm_packer **packer) SM_MUST_CHECK;
size_t sm_packer_chunk_size(const struct sm_packer *p);
/* Before the start: chunks go to `take`, in the workers' threads, those of one spool in their
 * order, instead of into files. */
void sm_packer_divert(
	struct sm_packer *p, void (*take)(void *ctx, const struct sm_packed *packed), void *ctx);
/* Waits until all that was pushed before is compressed. */
void sm_packer_settle(struct sm_packer *p);
struct sm_error *sm_packer_start(struct sm_packer *p) SM_MUST_CHECK;
/* The calling thread's events are the recorder's own. */
void sm_packer_register_thread(struct sm_packer *p);
/* An empty chunk; waits where all are in use. */
struct sm_chunk *sm_packer_take(struct sm_packer *p);
/* Hands in a chunk; those of one spool are written in the order in which they come. */
void sm_packer_push(struct sm_packer *p, struct sm_chunk *c);
void sm_packer_give_back(struct sm_packer *p, struct sm_chunk *c);
/* Keeps the first error, takes over `err`, and makes sm_packer_fd() readable. */
void sm_packer_fail(struct sm_packer *p, struct sm_error *err);
bool sm_packer_failed(struct sm_packer *p);
/* What it failed with, once more; NULL = it didn't. */
struct sm_error *sm_packer_error(struct sm_packer *p) SM_MUST_CHECK;
int sm_packer_fd(const struct sm_packer *p);
bool sm_packer_limit_reached(struct sm_packer *p);
void sm_packer_status(struct sm_packer *p, struct sm_recorder_status *st);
/* Waits for all that was pushed, ends the threads. The first error. */
struct sm_error *sm_packer_finish(struct sm_packer *p) SM_MUST_CHECK;
void sm_packer_free(struct sm_packer *p);

/* ---- page_spool.c: one CPU's compressed pages on disk ---- */

/* Makes the file in `dir` with the first. */
struct sm_error *sm_page_spool_add(
	struct sm_spool *s, const char *dir, const char *data, size_t len) SM_MUST_CHECK;
/* Writes the rest; then the file holds s->packed bytes. */
struct sm_error *sm_page_spool_end(struct sm_spool *s, const char *dir) SM_MUST_CHECK;
/* What was added from `offset` on, some of it, while it goes on: *data is in `block` (as many bytes
 * as sm_page_spool_block() says, mapped) or in the stage. Nothing may be added meanwhile. */
struct sm_error *sm_page_spool_read(const struct sm_spool *s, const char *dir, uint64_t offset,
	uint8_t *block, const uint8_t **data, size_t *len) SM_MUST_CHECK;
size_t sm_page_spool_block(void);
/* Gives back the room of what is before `offset`. False where the file system can't. */
bool sm_page_spool_forget(struct sm_spool *s, uint64_t offset);
void sm_page_spool_release(struct sm_spool *s);

/* ---- page_keeper.c: compressed pages of all CPUs for a save that may come, up to a limit ---- */

struct sm_keeper;

/* `limit`: compressed bytes, 0 = none; past it the oldest go. What is gone is told in the saved
 * pages, as the kernel tells of records that it overwrote. `spools` and `dir` are borrowed. */
struct sm_error *sm_keeper_new(struct sm_spool *spools, size_t n,
	const struct sm_tally_layout *layout, uint64_t limit, const char *dir,
	const struct sm_log *log, struct sm_keeper **keeper) SM_MUST_CHECK;
/* What can't be kept is left out; once that failed, all that follows. Any thread. */
void sm_keeper_add(struct sm_keeper *k, const struct sm_packed *packed);
/* `all`: nothing was left out so far. */
void sm_keeper_status(struct sm_keeper *k, uint64_t *bytes, bool *all);
/* Between these nothing goes that is there at the first. */
void sm_keeper_hold(struct sm_keeper *k);
void sm_keeper_let_go(struct sm_keeper *k);
/* The pages of a CPU as a member; without any: no member. */
struct sm_error *sm_keeper_save(
	struct sm_keeper *k, size_t index, const char *name, struct sm_archive *ar) SM_MUST_CHECK;
void sm_keeper_free(struct sm_keeper *k);

/* ---- tap.c: pages on their way, for somebody who reads them while they are recorded ---- */

struct sm_taps;

/* `limit`: compressed bytes that wait to be read; what comes then is left out, and told in the
 * stream as the kernel tells of records that it overwrote. */
struct sm_error *sm_taps_new(size_t n, const struct sm_tally_layout *layout, uint64_t limit,
	struct sm_taps **taps) SM_MUST_CHECK;
/* Any thread. */
void sm_taps_push(struct sm_taps *taps, const struct sm_packed *packed);
/* A stream that goes on. One for each index at a time; takes over `path`. The taps must outlive it.
 */
struct sm_error *sm_taps_stream(
	struct sm_taps *taps, size_t index, char *path, struct sm_stream **stream) SM_MUST_CHECK;
void sm_taps_free(struct sm_taps *taps);

/* ---- drain.c: pages from the kernel to the packer ---- */

struct sm_drain;

#define SM_DRAIN_PERCENT 10 /* of a CPU's buffer: when readers are to be woken (buffer_percent) */

/* `dir` is the tracefs directory that holds per_cpu/. Opens everything, starts nothing. */
struct sm_error *sm_drain_new(const char *dir, struct sm_spool *spools, size_t n,
	const struct sm_tally_layout *layout, uint64_t buffer_kb, struct sm_packer *packer,
	struct sm_drain **drain) SM_MUST_CHECK;
struct sm_error *sm_drain_start(struct sm_drain *d) SM_MUST_CHECK;
/* While it runs, by the calling thread: hands in all pages that are there now. */
void sm_drain_sweep(struct sm_drain *d);
/* Once tracing is off: reads what is left, ends the threads, closes trace_pipe_raw. */
void sm_drain_finish(struct sm_drain *d);
void sm_drain_free(struct sm_drain *d);

/* ---- recorder*.c ---- */

struct sm_member {
	char *name;
	struct sm_buf data;
};

/* Of a recording that is read while it goes on. */
struct sm_recording {
	struct sm_keeper *keeper;
	struct sm_taps *taps;
	struct sm_source *files; /* of the running system */
	struct sm_source *view;  /* those and the recording's own members */
};

struct sm_recorder {
	struct sm_recorder_opts opts;
	const char *root;
	char *tracefs;
	char *dir;  /* tracefs, or the instance's directory */
	char *name; /* of the instance, NULL = the global buffer */
	struct sm_undo undo;
	struct sm_event_refs events;
	struct sm_tally_layout layout;
	char clock[32];
	struct sm_spool *spools; /* one a CPU */
	size_t ncpus, cpus_cap;
	struct sm_buffer_stats *before, *now; /* per entry of spools */
	struct sm_member *members;
	size_t nmembers, members_cap;
	struct sm_names modules;  /* loaded at the start */
	struct sm_names unloaded; /* gone at the end */
	struct sm_packer *packer;
	struct sm_drain *drain;
	struct sm_recording *live; /* with opts.live */
	bool running, stopped;
	bool map_was_reset;             /* by us, at the start */
	int map_fd;                     /* held open across the capture, -1 */
	const char *generation;         /* literal */
	uint64_t start_ns, stop_ns;     /* monotonic */
	int64_t start_time;             /* seconds since the epoch */
	struct sm_recorder_status last; /* once stopped */
};

/* recorder_setup.c */
struct sm_error *sm_recorder_choose_events(struct sm_recorder *rec) SM_MUST_CHECK;
struct sm_error *sm_recorder_choose_buffer(struct sm_recorder *rec) SM_MUST_CHECK;
struct sm_error *sm_recorder_configure(struct sm_recorder *rec) SM_MUST_CHECK;
/* Writes a file below rec->dir; in the global buffer its former value is noted first. */
struct sm_error *sm_recorder_set(
	struct sm_recorder *rec, const char *name, const char *value) SM_MUST_CHECK;

/* recorder_files.c */
struct sm_error *sm_recorder_collect_first(struct sm_recorder *rec) SM_MUST_CHECK;
struct sm_error *sm_recorder_collect_last(struct sm_recorder *rec) SM_MUST_CHECK;
/* Takes it back: the first `n` members stay. */
void sm_recorder_forget_last(struct sm_recorder *rec, size_t n);
/* Where a CPU's pages are in a capture. */
void sm_recorder_pages_name(const struct sm_recorder *rec, unsigned cpu, char *name, size_t size);
const struct sm_buf *sm_recorder_member(const struct sm_recorder *rec, const char *name);
struct sm_error *sm_recorder_write_members(
	struct sm_recorder *rec, struct sm_archive *ar) SM_MUST_CHECK;
void sm_recorder_read_stats(struct sm_recorder *rec, struct sm_buffer_stats *stats);

/* recorder_live.c: with opts.live */
struct sm_error *sm_recording_new(struct sm_recorder *rec) SM_MUST_CHECK;
void sm_recording_free(struct sm_recording *live);

/* recording_source.c: the running system as a source, with the pages of the recording, and of the
 * formats those alone that it has members of. */
struct sm_error *sm_recording_view(struct sm_recorder *rec, struct sm_source **view) SM_MUST_CHECK;

/* recorder_json.c: smtool.json */
struct sm_error *sm_recorder_describe(struct sm_recorder *rec, struct sm_buf *buf) SM_MUST_CHECK;

#endif
