/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source: where bytes come from. A source is a tree of named members with the paths that the files
 * have on the running system ("proc/kallsyms", "sys/kernel/tracing/per_cpu/cpu0/trace_pipe_raw"),
 * whatever holds them: a directory, a .tar, a .tar.zst, a trace.dat, a bare stack_map_bin or
 * page_owner file, a pipe, or the running kernel. See smtool-capture(5).
 *
 * Member names never start with '/' or './' and never contain '..'.
 */
#ifndef SMTOOL_SOURCE_H
#define SMTOOL_SOURCE_H

#include <smtool/base.h>

enum sm_source_kind {
	SM_SOURCE_DIR,
	SM_SOURCE_LIVE, /* the running kernel, rooted at / */
	SM_SOURCE_TAR,
	SM_SOURCE_TAR_ZST,
	SM_SOURCE_MAP,  /* a bare stack_map_bin: its only member is SM_MEMBER_MAP */
	SM_SOURCE_TEXT, /* what a kernel tells of who holds its memory: one of those below */
	SM_SOURCE_DAT,  /* a trace.dat of trace-cmd */
};

#define SM_TRACING "sys/kernel/tracing"
#define SM_MEMBER_MAP SM_TRACING "/stack_map_bin"
#define SM_MEMBER_PAGE_OWNER "sys/kernel/debug/page_owner" /* also as page_owner_sort leaves it */
#define SM_MEMBER_SHOW_STACKS "sys/kernel/debug/page_owner_stacks/show_stacks"
#define SM_MEMBER_ALLOCINFO "proc/allocinfo"

struct sm_source_opts {
	const struct sm_log *log;           /* may be NULL, as may the next */
	const struct sm_progress *progress; /* while an archive is indexed or spooled */
	const char *tmpdir; /* for spooled pipes and archives; NULL = /tmp. Spool files are unlinked
			       at once */
};

struct sm_source;
struct sm_stream;

/*
 * Opens `path`: a directory, a file, "-" for standard input, or NULL for the running kernel.
 * What a file is, its content decides, never its name. Errors: SM_E_MISSING, SM_E_IO, SM_E_FORMAT
 * (nothing that smtool reads; says what it looks like), SM_E_REFUSED (an archive member whose path
 * is absolute or contains '..'), SM_E_UNSUPPORTED (a sparse tar member,
 * a trace.dat of another version).
 *
 * A damaged or truncated archive is opened with the members that are sound: sm_source_damage()
 * then returns the fault. A member that is a link or a device is left out, with a warning.
 */
struct sm_error *sm_source_open(
	const char *path, const struct sm_source_opts *opts, struct sm_source **src) SM_MUST_CHECK;
void sm_source_free(struct sm_source *src);

enum sm_source_kind sm_source_kind(const struct sm_source *src);
/* As the user named it, for messages; "<stdin>", or "running kernel". */
const char *sm_source_path(const struct sm_source *src);
/* NULL, or why the archive ends early: borrowed, lives as long as the source. */
const struct sm_error *sm_source_damage(const struct sm_source *src);

bool sm_source_has(const struct sm_source *src, const char *name);

/* The names right below `dir` ("" = the root), sorted bytewise, each once, without slashes; n = 0
 * where `dir` doesn't exist. sm_names_release() frees them. */
struct sm_names {
	char **names;
	size_t n;
};
struct sm_error *sm_source_list(
	const struct sm_source *src, const char *dir, struct sm_names *names) SM_MUST_CHECK;
void sm_names_release(struct sm_names *names);

/* A whole member in memory. `data` is 8-byte aligned where it can be, and not NUL-terminated. */
struct sm_blob {
	const uint8_t *data;
	size_t size;
	char *path; /* for messages: "SOURCE:MEMBER" inside an archive, else the file's path */
	void *map;  /* private: what to unmap */
	size_t map_size;
	void *owned;             /* private: what to free */
	struct sm_error *damage; /* NULL, or why fewer bytes than the member has are here (owned) */
};
/* Read to the end (files under tracefs and
 * /proc show size 0). Memory grows as bytes arrive, never by what a header claims; SM_E_REFUSED
 * past `max` bytes (0 = no bound). SM_E_MISSING when there is no such member. ESTALE becomes
 * SM_E_STALE. A member that is cut short is not an error: blob->damage tells. */
struct sm_error *sm_source_read(const struct sm_source *src, const char *name, uint64_t max,
	struct sm_blob *blob) SM_MUST_CHECK;
void sm_blob_release(struct sm_blob *blob);

/* A member as a stream, for what may be larger than memory. Several streams of one source may be
 * read at once, each by one thread at a time. */
struct sm_error *sm_source_stream(
	const struct sm_source *src, const char *name, struct sm_stream **stream) SM_MUST_CHECK;
/*
 * Up to `want` bytes: *len < want only at the end, 0 there and after. `data` stays valid until the
 * next call on this stream. On a damaged member what is sound comes first, then the error, once.
 * A live trace_pipe_raw is read without blocking, and ends when nothing is waiting (EAGAIN); a CPU
 * that was never online (ENODEV) is an empty stream.
 */
struct sm_error *sm_stream_take(
	struct sm_stream *stream, size_t want, const uint8_t **data, size_t *len) SM_MUST_CHECK;
/* Offset in the member of what comes next. */
uint64_t sm_stream_offset(const struct sm_stream *stream);
/* Size of the member, 0 when unknown. */
uint64_t sm_stream_size(const struct sm_stream *stream);
/* Its end is not the last word: a running kernel's, of which more may come. */
bool sm_stream_goes_on(const struct sm_stream *stream);
const char *sm_stream_path(const struct sm_stream *stream);
void sm_stream_free(struct sm_stream *stream);

/* ---- writing archives ---- */

/*
 * Writes .tar.zst with zstd frames of each member's own: per member one frame that holds the tar
 * header (and the padding of the member before), then the data's frames. A frame holds whole chunks
 * and names its content size, so that a reader can start each member, and skip it, without
 * decompressing the others. Not thread-safe.
 */
struct sm_archive;

/* `fd` is written from its current position and stays the caller's. */
struct sm_error *sm_archive_new(
	int fd, const char *path, int level, struct sm_archive **ar) SM_MUST_CHECK;
/* Adds a member from memory. */
struct sm_error *sm_archive_add(
	struct sm_archive *ar, const char *name, const void *data, size_t size) SM_MUST_CHECK;
/* Adds a member whose `size` bytes are already compressed as whole zstd frames, `frames_size` bytes
 * at offset 0 of `frames_fd` (a spool file that sm_frame_compress() filled). */
struct sm_error *sm_archive_add_frames(struct sm_archive *ar, const char *name, uint64_t size,
	int frames_fd, uint64_t frames_size) SM_MUST_CHECK;
/* Writes the end of the archive. The archive is freed in any case. */
struct sm_error *sm_archive_finish(struct sm_archive *ar) SM_MUST_CHECK;
void sm_archive_free(struct sm_archive *ar); /* without an end: the file is worthless */

/* One frame of `len` bytes, its content size in it, appended to `out`. `cctx` is kept by the caller
 * over frames: start with NULL, release with sm_frame_release(). */
struct sm_error *sm_frame_compress(
	void **cctx, int level, const void *data, size_t len, struct sm_buf *out) SM_MUST_CHECK;
void sm_frame_release(void **cctx);

#endif
