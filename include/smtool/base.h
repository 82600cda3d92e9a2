/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base: what every room stands on: errors, a bounds-checked cursor, an arena, buffers,
 * interned strings, output, a JSON writer, log and progress sinks.
 *
 * The library never prints, exits, reads argv or the environment. Whatever can fail returns
 * a `struct sm_error *`: NULL on success, else an error that the caller owns and must either
 * pass on or give to sm_error_free().
 */
#ifndef SMTOOL_BASE_H
#define SMTOOL_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#define SM_MUST_CHECK __attribute__((warn_unused_result))
#define SM_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define SM_CLEANUP(fn) __attribute__((cleanup(fn)))
#define SM_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* ---- errors ---- */

enum sm_code {
	SM_E_OTHER,
	SM_E_NOMEM,
	SM_E_IO,          /* a system call failed: errnum says why */
	SM_E_MISSING,     /* a file or member that is needed isn't there */
	SM_E_FORMAT,      /* the input isn't what it claims to be */
	SM_E_TRUNCATED,   /* the input ends too early */
	SM_E_UNSUPPORTED, /* sound, but not something that this version reads */
	SM_E_REFUSED,     /* readable, but not to be trusted (path outside, restricted kallsyms) */
	SM_E_USAGE,       /* an option's value makes no sense */
	SM_E_STALE,       /* the stack map was reset while it was read */
	SM_E_STOPPED,     /* a callback asked to stop */
};

/*
 * An error is filled once, where the fault is found. Its text reads
 *   WHAT: 'PATH' at byte OFFSET: DETAIL
 * with the parts that are absent left out. `what` is a short phrase in lower case without a
 * full stop ("stack map record cut short"), `detail` says the figures and what to do.
 */
struct sm_error {
	enum sm_code code;
	int errnum;      /* 0 = none */
	bool has_offset; /* `offset` counts bytes from the start of `path` */
	uint64_t offset;
	char *what;
	char *path;   /* NULL = none */
	char *detail; /* NULL = none */
};

/* `path` may be NULL; `detail_fmt` may be NULL. All strings are copied. Never returns NULL: when
 * memory is short the static out-of-memory error is returned. */
struct sm_error *sm_error_new(enum sm_code code, const char *path, const char *what,
	const char *detail_fmt, ...) SM_PRINTF(4, 5) SM_MUST_CHECK;
struct sm_error *sm_error_at(enum sm_code code, const char *path, uint64_t offset, const char *what,
	const char *detail_fmt, ...) SM_PRINTF(5, 6) SM_MUST_CHECK;
/* detail becomes strerror(errnum), followed by "; HINT" where `hint` isn't NULL. */
struct sm_error *sm_error_errno(
	int errnum, const char *path, const char *what, const char *hint) SM_MUST_CHECK;
struct sm_error *sm_error_nomem(void) SM_MUST_CHECK;
/* Another one that says the same. */
struct sm_error *sm_error_copy(const struct sm_error *err) SM_MUST_CHECK;
/* Frees `err`; NULL and the static out-of-memory error are fine. */
void sm_error_free(struct sm_error *err);

struct sm_buf;
/* Appends the error's one-line text to `buf`, control characters made visible. */
void sm_error_format(const struct sm_error *err, struct sm_buf *buf);

static inline void sm_error_cleanup(struct sm_error **err)
{
	sm_error_free(*err);
}

/* ---- growing byte buffer ---- */

/* Zero-initialise to start. `data` is NUL-terminated at `len` once anything was added. Allocation
 * failure is sticky in `failed`, so that a sequence of adds needs one check at its end. */
struct sm_buf {
	char *data;
	size_t len, cap;
	bool failed;
};

void sm_buf_release(struct sm_buf *b);
void sm_buf_reset(struct sm_buf *b); /* length 0, memory kept */
void sm_buf_add(struct sm_buf *b, const void *data, size_t len);
void sm_buf_adds(struct sm_buf *b, const char *s);
void sm_buf_addc(struct sm_buf *b, char c);
void sm_buf_addf(struct sm_buf *b, const char *fmt, ...) SM_PRINTF(2, 3);
void sm_buf_vaddf(struct sm_buf *b, const char *fmt, va_list ap) SM_PRINTF(2, 0);
/* As sm_out_visible(), into a buffer. */
void sm_buf_add_visible(struct sm_buf *b, const char *s, size_t len);

/* Makes room for `need` elements of `size` bytes in *array, of which *cap fit now. Doubles. Returns
 * false, and changes nothing, when memory is short or the size overflows. */
bool sm_grow(void *array, size_t *cap, size_t need, size_t size) SM_MUST_CHECK;
/* Asks for huge pages below a table that is about to be filled: else the first touch of each small
 * page costs more than what is done with it. A hint, for what is large; sm_grow() gives it. */
void sm_huge_hint(void *p, size_t bytes);

/* ---- byte order ---- */

static inline uint16_t sm_load16(const void *p, bool swap)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap16(v) : v;
}

static inline uint32_t sm_load32(const void *p, bool swap)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap32(v) : v;
}

static inline uint64_t sm_load64(const void *p, bool swap)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap64(v) : v;
}

static inline bool sm_host_big_endian(void)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

/* ---- bounds-checked cursor ---- */

/* A window on bytes that somebody else owns. Reads check bounds, swap where told, and make the
 * error with the right file and offset: `base` is the offset of `start` in `path`. */
struct sm_cursor {
	const uint8_t *start, *pos, *end;
	const char *path;
	uint64_t base;
	bool swap;
};

static inline void sm_cursor_init(struct sm_cursor *c, const void *data, size_t len,
	const char *path, uint64_t base, bool swap)
{
	c->start = c->pos = data;
	c->end = c->start + len;
	c->path = path;
	c->base = base;
	c->swap = swap;
}

static inline size_t sm_cursor_left(const struct sm_cursor *c)
{
	return (size_t)(c->end - c->pos);
}

static inline uint64_t sm_cursor_offset(const struct sm_cursor *c)
{
	return c->base + (uint64_t)(c->pos - c->start);
}

/* SM_E_TRUNCATED: "WHAT cut short ... needs N bytes, M left". */
struct sm_error *sm_cursor_short(
	const struct sm_cursor *c, const char *what, uint64_t need) SM_MUST_CHECK;
struct sm_error *sm_cursor_u8(struct sm_cursor *c, const char *what, uint8_t *v) SM_MUST_CHECK;
struct sm_error *sm_cursor_u16(struct sm_cursor *c, const char *what, uint16_t *v) SM_MUST_CHECK;
struct sm_error *sm_cursor_u32(struct sm_cursor *c, const char *what, uint32_t *v) SM_MUST_CHECK;
struct sm_error *sm_cursor_u64(struct sm_cursor *c, const char *what, uint64_t *v) SM_MUST_CHECK;
/* *p points into the window at `len` bytes that are there. */
struct sm_error *sm_cursor_bytes(
	struct sm_cursor *c, const char *what, size_t len, const uint8_t **p) SM_MUST_CHECK;

/* ---- arena ---- */

struct sm_arena_chunk;

/* Zero-initialise to start. Everything is freed at once. Not thread-safe. */
struct sm_arena {
	struct sm_arena_chunk *chunks;
	size_t used, cap; /* in the newest chunk */
	size_t total;     /* bytes asked from malloc */
};

/* 8-byte aligned, not zeroed; NULL when memory is short. */
void *sm_arena_alloc(struct sm_arena *a, size_t size);
char *sm_arena_strndup(struct sm_arena *a, const char *s, size_t len);
void sm_arena_release(struct sm_arena *a);

/* ---- hashing and interned strings ---- */

/* A fast 64-bit hash for tables in memory; its values may change between versions. */
uint64_t sm_hash(const void *data, size_t len, uint64_t seed);
/* FNV-1a, 64 bits, for what is written down (stack_key). Start with SM_FNV_INIT. */
#define SM_FNV_INIT UINT64_C(0xcbf29ce484222325)
uint64_t sm_fnv(uint64_t h, const void *data, size_t len);

#define SM_NO_STRING UINT32_MAX

/* Strings to dense ids 0, 1, 2... Zero-initialise to start. Not thread-safe. */
struct sm_strings {
	struct sm_arena arena;
	struct sm_string {
		const char *data; /* NUL-terminated */
		uint32_t len;
	} * items;
	size_t n, cap;
	uint32_t *slots; /* open addressing, id + 1 */
	size_t nslots;
};

/* SM_NO_STRING when memory is short. */
uint32_t sm_strings_add(struct sm_strings *s, const char *data, size_t len);
/* SM_NO_STRING when it isn't there. */
uint32_t sm_strings_find(const struct sm_strings *s, const char *data, size_t len);
static inline const char *sm_strings_get(const struct sm_strings *s, uint32_t id)
{
	return id < s->n ? s->items[id].data : NULL;
}
void sm_strings_release(struct sm_strings *s);

/* ---- output ---- */

/* Buffered, with a sticky error: write freely, then sm_out_finish() tells. */
struct sm_out {
	char *buf;
	size_t len, cap;
	int fd;              /* -1: into `sink` */
	struct sm_buf *sink; /* borrowed */
	const char *path;    /* for error texts, borrowed */
	uint64_t written;
	int errnum; /* first write error; ENOMEM for a sink out of memory */
};

struct sm_error *sm_out_init_fd(struct sm_out *o, int fd, const char *path) SM_MUST_CHECK;
struct sm_error *sm_out_init_buf(struct sm_out *o, struct sm_buf *sink) SM_MUST_CHECK;
/* Writes what is buffered and frees the buffer; the descriptor stays open. */
struct sm_error *sm_out_finish(struct sm_out *o) SM_MUST_CHECK;
struct sm_error *sm_out_flush(struct sm_out *o) SM_MUST_CHECK;
/* True once writing failed (a closed pipe, a full disk): long loops stop early on it. */
static inline bool sm_out_failed(const struct sm_out *o)
{
	return o->errnum != 0;
}

void sm_out_bytes(struct sm_out *o, const void *data, size_t len);
void sm_out_str(struct sm_out *o, const char *s);
void sm_out_char(struct sm_out *o, char c);
void sm_out_pad(struct sm_out *o, char c, size_t n);
void sm_out_u64(struct sm_out *o, uint64_t v);
void sm_out_i64(struct sm_out *o, int64_t v);
void sm_out_hex(struct sm_out *o, uint64_t v); /* 0x1f */
void sm_out_f(struct sm_out *o, const char *fmt, ...) SM_PRINTF(2, 3);
/* Untrusted text for people: C0, DEL, C1 and invalid UTF-8 appear as \xNN, a backslash as it is. */
void sm_out_visible(struct sm_out *o, const char *s, size_t len);
/* A JSON string with its quotes. Bytes that are not UTF-8 appear as the text \xNN. */
void sm_out_json(struct sm_out *o, const char *s, size_t len);
/* Text for XML, in an element or an attribute, whose control characters were made visible before.
 */
void sm_out_xml(struct sm_out *o, const char *s, size_t len);
/* A CSV field (RFC 4180), quoted only where needed; control characters made visible. */
void sm_out_csv(struct sm_out *o, const char *s, size_t len);

/* ---- JSON writer ---- */

/* Compact or indented by 2. Keys are trusted C literals; NULL inside arrays. */
struct sm_json {
	struct sm_out *out;
	unsigned depth;
	bool pretty;
	bool first[32]; /* per depth: nothing written yet */
};

void sm_json_init(struct sm_json *j, struct sm_out *out, bool pretty);
void sm_json_object(struct sm_json *j, const char *key);
void sm_json_object_end(struct sm_json *j);
void sm_json_array(struct sm_json *j, const char *key);
void sm_json_array_end(struct sm_json *j);
void sm_json_str(struct sm_json *j, const char *key, const char *s); /* NULL = null */
void sm_json_strn(struct sm_json *j, const char *key, const char *s, size_t len);
void sm_json_u64(struct sm_json *j, const char *key, uint64_t v);
void sm_json_i64(struct sm_json *j, const char *key, int64_t v);
void sm_json_hex(struct sm_json *j, const char *key, uint64_t v); /* "0x1f" */
void sm_json_bool(struct sm_json *j, const char *key, bool v);
void sm_json_double(struct sm_json *j, const char *key, double v);
void sm_json_null(struct sm_json *j, const char *key);

/* ---- log and progress ---- */

enum sm_level { SM_ERROR, SM_WARN, SM_INFO, SM_DEBUG };

/* Where the library says what isn't an error. A NULL sink is silent. `line` has no newline and is
 * already made visible. May be called from several threads at once. */
struct sm_log {
	void (*write)(void *ctx, enum sm_level level, const char *line);
	void *ctx;
	enum sm_level level; /* the most talkative level wanted */
};

void sm_log(const struct sm_log *log, enum sm_level level, const char *fmt, ...) SM_PRINTF(3, 4);
/* An error that costs something, but not the work: its text and what follows ("; lines are left
 * out"). Frees `err`, which may be NULL. */
void sm_log_error(
	const struct sm_log *log, enum sm_level level, struct sm_error *err, const char *rest);

/* A NULL sink is silent. `total` 0 = unknown. Called often; the sink limits its own rate. */
struct sm_progress {
	void (*tick)(void *ctx, const char *what, uint64_t done, uint64_t total);
	void *ctx;
};

static inline void sm_progress_tick(
	const struct sm_progress *p, const char *what, uint64_t done, uint64_t total)
{
	if (p && p->tick)
		p->tick(p->ctx, what, done, total);
}

/* Monotonic clock, in ns. */
uint64_t sm_now_ns(void);
/* Processors this process may run on, at least 1. */
unsigned sm_cpu_count(void);

/* Makes a directory and those above it that are missing, for this user alone. False when memory is
 * short; whatever else fails, fails again when something is opened there. */
bool sm_make_folders(const char *path) SM_MUST_CHECK;

/* ---- numbers in words ---- */

/* 4096, 4k, 4K, 4KiB (1024), 2M, 1G; SM_E_USAGE else. `name` is the option for the message. */
struct sm_error *sm_parse_size(const char *name, const char *s, uint64_t *bytes) SM_MUST_CHECK;
/* 10, 1.5s, 20ms, 3us, 5ns, 2m, 1h (a bare number is seconds), to ns. */
struct sm_error *sm_parse_duration(const char *name, const char *s, uint64_t *ns) SM_MUST_CHECK;
struct sm_error *sm_parse_u64(
	const char *name, const char *s, uint64_t max, uint64_t *v) SM_MUST_CHECK;

/* ---- numbers for people ---- */

/* 1536 -> "1.5 KiB", 12 -> "12 B" */
void sm_human_bytes(uint64_t bytes, struct sm_buf *buf);
/* 1234567 -> "1,234,567" */
void sm_human_count(uint64_t n, struct sm_buf *buf);
/* 1.234 s, 12 ms */
void sm_human_ns(uint64_t ns, struct sm_buf *buf);

#endif
