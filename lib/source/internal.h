/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SM_SOURCE_INTERNAL_H
#define SM_SOURCE_INTERNAL_H

#include <smtool/source.h>

struct dat;
struct dat_place;
struct unpacker;

#define SOURCE_STREAM_BUF ((size_t)256 << 10)
#define SOURCE_MAP_MIN (64 << 10) /* regular files from here on are mapped */

/* ---- names ---- */

/* Whether `name` is fit to be looked up: relative, no empty, "." or ".." component. */
bool sm_names_valid(const char *name);
/* Cleans an archive's path in place: leading "./", inner "/./" and "//", a trailing "/". Returns
 * false where it is absolute or has a ".." component. */
bool sm_names_clean(char *name);
bool sm_names_under(const char *name, const char *dir);
/* `*cap` starts at 0, as does names->n. Returns false when memory is short. */
bool sm_names_add(struct sm_names *names, size_t *cap, const char *name, size_t len) SM_MUST_CHECK;
void sm_names_sort(struct sm_names *names);
/* Adds the component of `full` right below `dir`, if it lies below. */
bool sm_names_add_below(
	struct sm_names *names, size_t *cap, const char *full, const char *dir) SM_MUST_CHECK;

/* ---- members of an archive ---- */

struct member {
	const char *name; /* in the table's arena */
	uint64_t offset;  /* of the data in the tar; of a zstd frame in a framed archive */
	uint64_t skip;    /* bytes of that frame's content before the data */
	uint64_t size;    /* as the header claims */
	size_t order;
};

struct members {
	struct sm_arena arena;
	struct member *v;
	size_t n, cap;
};

bool sm_members_add(struct members *m, const char *name, const struct member *at) SM_MUST_CHECK;
/* Strips a wrapping folder, puts a tracing directory where it belongs, sorts, keeps the last of
 * each name. Returns false when memory is short. */
bool sm_members_finish(struct members *m) SM_MUST_CHECK;
const struct member *sm_members_find(const struct members *m, const char *name);
bool sm_members_list(
	const struct members *m, const char *dir, struct sm_names *names) SM_MUST_CHECK;
void sm_members_release(struct members *m);

/* ---- sources ---- */

struct source_ops {
	bool (*has)(const struct sm_source *src, const char *name);
	struct sm_error *(*list)(
		const struct sm_source *src, const char *dir, struct sm_names *names);
	struct sm_error *(*read)(
		const struct sm_source *src, const char *name, uint64_t max, struct sm_blob *blob);
	struct sm_error *(*stream)(
		const struct sm_source *src, const char *name, struct sm_stream **stream);
};

struct sm_source {
	const struct source_ops *ops;
	enum sm_source_kind kind;
	struct sm_source_opts opts; /* what it points to must outlive the source, but for tmpdir */
	char *path;
	struct sm_error *damage;
	int fd;        /* root directory, file, or spool; -1 = none */
	uint64_t size; /* of the file behind `fd` */
	const char
		*tracing; /* directory: where the tracing directory is below `fd`, "" = it is it */
	const uint8_t *map; /* framed archive: the whole file */
	struct members members;
	const char *only;             /* a bare file: its one member */
	struct dat *dat;              /* trace.dat */
	struct sm_recorder *recorder; /* of a recording that goes on */
};

/* These take over src->fd, whose file has src->size bytes, and set kind and ops. */
struct sm_error *sm_directory_open(struct sm_source *src) SM_MUST_CHECK;
struct sm_error *sm_directory_open_live(struct sm_source *src) SM_MUST_CHECK;
struct sm_error *sm_tar_archive_open(struct sm_source *src) SM_MUST_CHECK;
struct sm_error *sm_zstd_archive_open(struct sm_source *src) SM_MUST_CHECK;
/* `member`: a literal, the path that it would have in a capture. */
void sm_bare_file_open(struct sm_source *src, enum sm_source_kind kind, const char *member);
struct sm_error *sm_dat_open(struct sm_source *src) SM_MUST_CHECK;
void sm_dat_free(struct dat *d);

/* For archives: "SOURCE:MEMBER". NULL when memory is short. */
char *sm_archive_member_path(const struct sm_source *src, const char *name);
struct sm_error *sm_archive_missing(const struct sm_source *src, const char *name) SM_MUST_CHECK;
bool sm_archive_has(const struct sm_source *src, const char *name);
struct sm_error *sm_archive_list(
	const struct sm_source *src, const char *dir, struct sm_names *names) SM_MUST_CHECK;
/* Why a member has fewer bytes than it claims. */
struct sm_error *sm_archive_cut(
	const struct sm_source *src, const struct member *m, uint64_t have) SM_MUST_CHECK;
/* Members by offset in src->fd: a tar, or the spool that one was decompressed into. */
extern const struct source_ops sm_tar_archive_ops;

/* ---- what a file is, by its first bytes ---- */

enum content { CONTENT_NONE, CONTENT_TAR, CONTENT_ZSTD, CONTENT_MAP, CONTENT_TEXT, CONTENT_DAT };
#define CONTENT_HEAD 512

/* `len` is less than CONTENT_HEAD only where the file is shorter. */
struct sm_error *sm_content_detect(
	const uint8_t *head, size_t len, const char *path, enum content *content) SM_MUST_CHECK;

/* kernel_text.c: the member that such text would be in a capture; NULL = it is something else. */
const char *sm_kernel_text_member(const uint8_t *head, size_t len);

/* ---- tar, as a state machine that bytes are fed to ---- */

struct tar_attrs {
	char *path; /* NULL = not given */
	uint64_t size;
	bool has_size;
};

enum tar_state { TAR_HEADER, TAR_META, TAR_SKIP, TAR_END };

struct tar {
	struct sm_source *src; /* log, path; its members are filled */
	enum tar_state state;
	uint8_t block[512];
	size_t fill;         /* bytes in `block` */
	uint64_t pos;        /* bytes consumed */
	uint64_t header_pos; /* of the header read last */
	uint64_t left;       /* TAR_META, TAR_SKIP: bytes to come, padding included */
	uint64_t data_left;  /* TAR_SKIP: padding not included */
	char meta_type;
	uint64_t meta_size;
	struct sm_buf meta;
	struct tar_attrs local, global;
	char *long_name;
	bool zero;    /* the last block was all zero */
	bool not_tar; /* the first block already isn't one */
	/* set by the walker of a zstd archive: */
	bool framed;        /* members are found by frame */
	bool compressed;    /* offsets in errors are those of frames */
	uint64_t frame_off; /* of the current frame in the file */
	uint64_t frame_pos; /* bytes consumed before it */
};

void sm_tar_init(struct tar *t, struct sm_source *src);
void sm_tar_release(struct tar *t);
/* SM_E_FORMAT: the archive is damaged here; other errors mean that it is not to be opened at all.
 */
struct sm_error *sm_tar_feed(struct tar *t, const uint8_t *data, size_t len) SM_MUST_CHECK;
/* How many of the bytes to come are of no interest to the index. */
uint64_t sm_tar_skippable(const struct tar *t);
void sm_tar_skip(struct tar *t, uint64_t n);
/* No more bytes: NULL between two members, else SM_E_TRUNCATED at `offset` of the file. */
struct sm_error *sm_tar_eof(struct tar *t, uint64_t offset) SM_MUST_CHECK;
bool sm_tar_header_valid(const uint8_t block[512]);
bool sm_tar_header_ustar(const uint8_t block[512]);
/* A number field: octal or base-256. Returns false where it is neither, or past 2^62. */
bool sm_tar_number(const uint8_t *field, size_t len, uint64_t *v);
/* Records "LEN KEY=VALUE\n" of a pax header. */
struct sm_error *sm_pax_parse(
	struct tar *t, const char *data, size_t len, struct tar_attrs *attrs) SM_MUST_CHECK;
struct sm_error *sm_tar_fault(const struct tar *t, enum sm_code code, const char *what,
	const char *detail_fmt, ...) SM_PRINTF(4, 5) SM_MUST_CHECK;

/* ---- zstd frames in memory ---- */

struct frames {
	const uint8_t *data; /* borrowed */
	size_t size, off;
	const char *path; /* borrowed */
	void *dctx;
	bool inside;        /* a frame that isn't at its end */
	bool flush;         /* the decoder may hold output */
	size_t hint;        /* input that completes the next block */
	size_t frame;       /* where the current frame starts */
	uint64_t frame_out; /* bytes that came out of it */
	uint64_t claim;     /* content size it names, UINT64_MAX = none */
};

struct sm_error *sm_frames_init(struct frames *z, const void *data, size_t size, size_t off,
	const char *path) SM_MUST_CHECK;
void sm_frames_release(struct frames *z);
/* Some bytes, never of two frames; *len may be 0 at the end of a frame. Errors are SM_E_TRUNCATED,
 * SM_E_FORMAT, SM_E_UNSUPPORTED, and come after all bytes of the blocks before. */
struct sm_error *sm_frames_read(struct frames *z, void *buf, size_t cap, size_t *len) SM_MUST_CHECK;
bool sm_frames_end(const struct frames *z);
/* After all bytes that a frame claims were read: checks that it ends there, and its checksum. */
struct sm_error *sm_frames_close(struct frames *z) SM_MUST_CHECK;
/* Size in the file of the frame that starts at z->off, when it is whole and names its content's
 * size. */
bool sm_frames_peek(const struct frames *z, size_t *frame_size, uint64_t *content_size);

/* ---- spool ---- */

struct sm_error *sm_spool_new(const char *tmpdir, int *fd) SM_MUST_CHECK;
struct sm_error *sm_spool_write(int fd, const void *data, size_t len) SM_MUST_CHECK;
/* Copies what `from` gives up to its end. */
struct sm_error *sm_spool_copy(int from, const char *path, const struct sm_source_opts *opts,
	int *fd, uint64_t *size) SM_MUST_CHECK;
/* All of `len` bytes unless the file ends. Returns false with errno. */
bool sm_spool_pread(int fd, void *buf, size_t len, uint64_t offset, size_t *got);

/* ---- an archive's member, frame by frame ---- */

/* Between these and the next member: whole frames, `size` bytes before they were compressed. */
struct sm_error *sm_archive_begin_frames(
	struct sm_archive *ar, const char *name, uint64_t size) SM_MUST_CHECK;
struct sm_error *sm_archive_put_frames(
	struct sm_archive *ar, const void *data, size_t len) SM_MUST_CHECK;

/* ---- streams ---- */

struct stream_ops {
	/* Up to `cap` bytes, more than 0; *len = 0 only at the end. Not called after an error. */
	struct sm_error *(*fill)(struct sm_stream *s, uint8_t *buf, size_t cap, size_t *len);
};

struct sm_stream {
	const struct stream_ops *ops;
	char *path;
	uint64_t size, offset;
	uint8_t *buf;
	size_t cap, head, tail;
	struct sm_error *pending; /* to be told once what came before it is taken */
	bool ended, goes_on;
	const struct sm_source *src;
	const struct member *member;
	int own_fd; /* -1 = reads src->fd, by position */
	bool pipe;  /* a trace_pipe_raw */
	uint64_t pos, left, skip;
	struct frames *frames;
	struct sm_tap *tap; /* of a recording that goes on */
	/* trace.dat: */
	struct unpacker *unpacker;
	const struct dat_place *place;
	bool inside;     /* a compressed block */
	uint32_t blocks; /* that are said to come */
};

/* Takes over `path` (NULL = memory was short) in any case. */
struct sm_error *sm_stream_new(
	const struct stream_ops *ops, char *path, struct sm_stream **stream) SM_MUST_CHECK;
/* Reads an own descriptor to its end; takes over `fd` in any case; -1 = an empty stream. */
struct sm_error *sm_stream_new_fd(
	int fd, char *path, uint64_t size, bool pipe, struct sm_stream **stream) SM_MUST_CHECK;
/* `size` bytes of src->fd from `offset`. `m` may be NULL. */
struct sm_error *sm_stream_new_range(const struct sm_source *src, const struct member *m,
	uint64_t offset, uint64_t size, char *path, struct sm_stream **stream) SM_MUST_CHECK;

/* ---- blobs ---- */

/* Reads all that is left in a fresh stream, and frees it. */
struct sm_error *sm_blob_read_stream(
	struct sm_stream *s, uint64_t max, struct sm_blob *blob) SM_MUST_CHECK;
/* Reads `size` bytes of `fd` at once. Takes over `path` when it returns true; false = read instead.
 */
bool sm_blob_load(int fd, uint64_t offset, uint64_t size, char *path, struct sm_blob *blob);
struct sm_error *sm_blob_too_large(const char *path, uint64_t max) SM_MUST_CHECK;

#endif
