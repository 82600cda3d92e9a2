/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of the trace.dat source share. A trace.dat is opened by reading its metadata once:
 * that gives places (where the bytes of each member are) and a few facts. Pages are never read
 * then.
 */
#ifndef SMTOOL_SOURCE_DAT_H
#define SMTOOL_SOURCE_DAT_H

#include "internal.h"

#define DAT_TRACING_LEN (sizeof(SM_TRACING) - 1)
#define DAT_CPUS_MAX 65535

/* ---- unpacker.c: one compressed block at a time ---- */

enum packing { PACKING_NONE, PACKING_ZSTD, PACKING_ZLIB };

struct unpacker;

/* Reads from `fd`; `path` (borrowed) is for messages. */
struct sm_error *sm_unpacker_new(
	enum packing packing, int fd, const char *path, struct unpacker **u) SM_MUST_CHECK;
void sm_unpacker_free(struct unpacker *u);
/* The block whose `packed` bytes are at `offset`, and whose content claims to have `size`. */
struct sm_error *sm_unpacker_start(
	struct unpacker *u, uint64_t offset, uint64_t packed, uint64_t size) SM_MUST_CHECK;
/* Up to `cap` bytes, more than 0; *len = 0 only at the end, once the content was found to be as
 * long as it claims. Errors: SM_E_FORMAT, SM_E_TRUNCATED (the file ends), after all that is sound.
 */
struct sm_error *sm_unpacker_read(
	struct unpacker *u, void *buf, size_t cap, size_t *len) SM_MUST_CHECK;

/* ---- what is known while the metadata is read ---- */

enum dat_section {
	DAT_OPTIONS = 0,
	DAT_PAGES = 3,
	DAT_STRINGS = 15,
	DAT_HEADERS = 16,
	DAT_FTRACE_EVENTS = 17,
	DAT_EVENTS = 18,
	DAT_KALLSYMS = 19,
	DAT_PRINTK = 20,
	DAT_CMDLINES = 21,
	DAT_TEXT = 22,
	DAT_SECTIONS,
};

enum dat_store { DAT_FILE, DAT_MEMORY, DAT_BLOCK, DAT_CHUNKS };

/* Where a member's bytes are. */
struct dat_place {
	enum dat_store store;
	const uint8_t *data;   /* DAT_MEMORY: lives as long as the source */
	uint64_t offset;       /* in the file: of the bytes, the block, the chunks */
	uint64_t packed;       /* bytes there of a block or of chunks */
	uint64_t skip, unpack; /* DAT_BLOCK: content before the member; all of it, as claimed */
};

struct dat_cpu {
	uint32_t cpu;
	uint64_t offset, size; /* of its data in the file; chunks where the buffer is compressed */
};

struct dat_buffer {
	const char *name;   /* "" = the top one */
	const char *clock;  /* NULL = not said */
	uint64_t offset;    /* of its section, or of its table in version 6 */
	uint32_t page_size; /* of its sub-buffers, 0 = not said */
	uint32_t ncpus; /* version 6: how many its table has, UINT32_MAX = as many as the file */
	bool text;      /* a latency tracer's, no pages: at `offset` */
	uint64_t text_size;
	bool packed;
	struct dat_cpu *cpus; /* in the arena */
	size_t n;
};

struct dat_stats {
	const char *buffer; /* name, "" = the top one */
	uint32_t cpu;
	const char *text; /* of per_cpu/cpuN/stats */
};

struct dat_facts {
	const char *uname, *recorder, *clocks; /* text of the options; NULL = not there */
	uint64_t trace_id;
	bool has_trace_id;
	int64_t time_offset; /* ns, to be added to each time */
	uint32_t multiplier, shift;
	uint32_t cpu_count; /* 0 = not said */
	unsigned long_size;
};

struct dat {
	struct sm_source *src;
	unsigned version;
	bool swap, big_endian;
	unsigned long_size; /* of the programs there, not of the kernel */
	uint32_t page_size; /* of the machine */
	enum packing packing;
	uint64_t sections[DAT_SECTIONS]; /* where they are, 0 = not said */
	struct dat_facts facts;
	struct dat_buffer *buffers;
	size_t nbuffers, buffers_cap;
	struct dat_stats *stats;
	size_t nstats, stats_cap;
	const char *stats_buffer; /* whose the next are */
	char *header_page;        /* its text */
	struct dat_place *places;
	size_t nplaces, places_cap;
	struct sm_arena arena;
	struct sm_buf *blocks; /* decompressed sections that members lie in */
	size_t nblocks, blocks_cap;
};

/* A fault that costs a part: the first is kept as the source's damage, others are logged. Takes
 * over `err`; returns it where it isn't of that kind. */
struct sm_error *sm_dat_note(struct dat *d, struct sm_error *err) SM_MUST_CHECK;
/* Adds a member of `size` bytes (0 = unknown); its name is formatted. */
struct sm_error *sm_dat_add(struct dat *d, const struct dat_place *place, uint64_t size,
	const char *fmt, ...) SM_PRINTF(4, 5) SM_MUST_CHECK;
/* `text` is in the arena. */
struct sm_error *sm_dat_add_text(struct dat *d, const char *text, size_t len, const char *fmt, ...)
	SM_PRINTF(4, 5) SM_MUST_CHECK;
/* The tracing directory of a buffer below SM_TRACING: "" or "/instances/NAME". */
void sm_dat_folder(const char *buffer, char *folder, size_t size);
/* Whether `name` can be one component of a member's name. */
bool sm_dat_name_valid(const char *name);

/* ---- dat_reader.c ---- */

#define DAT_WINDOW ((size_t)64 << 10)

/* Reads forwards in the file, or in a section that was decompressed. */
struct dat_reader {
	const struct dat *dat;
	const uint8_t *data; /* NULL = the file */
	uint64_t pos, end;   /* in `data` or in the file */
	uint64_t base;       /* where the section is whose content `data` is */
	uint8_t *window;     /* of the file */
	uint64_t window_at;
	size_t window_len;
};

void sm_dat_reader_init(struct dat_reader *r, const struct dat *d, uint64_t pos, uint64_t end);
void sm_dat_reader_release(struct dat_reader *r);
/* An error at where it stands. */
struct sm_error *sm_dat_fault(const struct dat_reader *r, enum sm_code code, const char *what,
	const char *fmt, ...) SM_PRINTF(4, 5) SM_MUST_CHECK;
static inline uint64_t sm_dat_left(const struct dat_reader *r)
{
	return r->pos < r->end ? r->end - r->pos : 0;
}
/* `len` (at most DAT_WINDOW) bytes that are there, valid until the next call. */
struct sm_error *sm_dat_take(
	struct dat_reader *r, const char *what, size_t len, const uint8_t **p) SM_MUST_CHECK;
/* The same, without advancing, and fewer where there are fewer. */
struct sm_error *sm_dat_peek(
	struct dat_reader *r, size_t len, const uint8_t **p, size_t *got) SM_MUST_CHECK;
struct sm_error *sm_dat_u16(struct dat_reader *r, const char *what, uint16_t *v) SM_MUST_CHECK;
struct sm_error *sm_dat_u32(struct dat_reader *r, const char *what, uint32_t *v) SM_MUST_CHECK;
struct sm_error *sm_dat_u64(struct dat_reader *r, const char *what, uint64_t *v) SM_MUST_CHECK;
struct sm_error *sm_dat_skip(struct dat_reader *r, const char *what, uint64_t len) SM_MUST_CHECK;
/* Copies into the arena, NUL-terminated. `len` is checked against what is left first. */
struct sm_error *sm_dat_text(
	struct dat_reader *r, const char *what, uint64_t len, char **text) SM_MUST_CHECK;
/* A string up to its NUL, at most 255 bytes. */
struct sm_error *sm_dat_string(struct dat_reader *r, const char *what, char **text) SM_MUST_CHECK;
/* The next `len` bytes as a place, and past them. Where this returns SM_E_TRUNCATED, a place in the
 * file is right, though fewer bytes are there. */
struct sm_error *sm_dat_locate(struct dat_reader *r, const char *what, uint64_t len,
	struct dat_place *place) SM_MUST_CHECK;

/* ---- dat_metadata.c: headers, formats, kallsyms and their like; as in both versions ---- */

struct sm_error *sm_dat_read_headers(struct dat *d, struct dat_reader *r) SM_MUST_CHECK;
struct sm_error *sm_dat_read_ftrace_events(struct dat *d, struct dat_reader *r) SM_MUST_CHECK;
struct sm_error *sm_dat_read_events(struct dat *d, struct dat_reader *r) SM_MUST_CHECK;
/* A text with its length (4 bytes, or 8) before it. */
struct sm_error *sm_dat_read_text(struct dat *d, struct dat_reader *r, unsigned length_size,
	const char *what, const char *name) SM_MUST_CHECK;

/* ---- dat_options.c ---- */

/* Options up to the last; *next is what that says, 0 in version 6. */
struct sm_error *sm_dat_read_options(
	struct dat *d, struct dat_reader *r, uint64_t *next) SM_MUST_CHECK;
struct dat_buffer *sm_dat_buffer_new(struct dat *d, const char *name);

/* ---- dat_linear.c: version 6; dat_sections.c: version 7 ---- */

struct sm_error *sm_dat_read_linear(struct dat *d, uint64_t pos) SM_MUST_CHECK;
struct sm_error *sm_dat_read_sections(struct dat *d, uint64_t pos) SM_MUST_CHECK;

/* ---- dat_buffers.c: members of the buffers ---- */

struct sm_error *sm_dat_place_buffers(struct dat *d) SM_MUST_CHECK;

/* ---- dat_recovery.c ---- */

/* A buffer whose table is lost: the `index`-th section of pages in the file, at `start`. */
struct sm_error *sm_dat_recover_buffer(struct dat *d, uint64_t start, uint64_t data, uint64_t size,
	bool packed, unsigned index) SM_MUST_CHECK;

/* ---- dat_facts.c: smtool.json ---- */

struct sm_error *sm_dat_describe(struct dat *d) SM_MUST_CHECK;

/* ---- dat_stream.c ---- */

extern const struct source_ops sm_dat_ops;

#endif
