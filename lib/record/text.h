/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text in which a kernel tells who holds its memory: page_owner, page_owner_stacks/show_stacks,
 * what page_owner_sort makes of the first, and allocinfo. Nothing in it is trusted: names of tasks
 * are what their owners wish, line breaks included.
 */
#ifndef SM_RECORD_TEXT_H
#define SM_RECORD_TEXT_H

#include "internal.h"

/* What is longer is cut: no line that means anything is. */
#define TEXT_LINE_MAX 4096
/* As in the kernel, with room. */
#define TEXT_SYMBOL_MAX 512

/* ---- text_reader.c ---- */

struct text_reader {
	struct sm_trace *trace; /* its progress; damage goes there */
	struct sm_stream *stream;
	const char *chunk; /* the stream's */
	size_t left;
	struct sm_buf carry; /* of a line that began in an earlier chunk */
	uint64_t line;       /* number of the line that was read last, from 1 */
	uint64_t offset;     /* of its first byte */
	uint64_t next_offset;
	bool ended;
	bool broken;             /* the last line has no newline */
	struct sm_error *failed; /* memory */
};

struct sm_error *text_open(
	struct text_reader *r, struct sm_trace *trace, const char *member) SM_MUST_CHECK;
/* The next line without its newline, valid until the next call; false at the end. */
bool text_next(struct text_reader *r, const char **line, size_t *len);
/* Counts the line that was read last as one that isn't understood. */
void text_unknown(struct text_reader *r);
/* The line that was read last makes no sense: counted, and noted for check. */
void text_bad(struct text_reader *r, const char *what, const char *line, size_t len);
/* Nothing in it was understood. */
struct sm_error *text_nothing(const struct text_reader *r, const char *what) SM_MUST_CHECK;
/* The input ends within `what`, which is left out or not: `rest` tells. */
void text_cut(struct text_reader *r, const char *what, const char *rest);
void text_close(struct text_reader *r);

/* What is taken from a line. Each returns false, and takes nothing, where that isn't there. */
struct text_cursor {
	const char *p, *end;
};
bool text_take(struct text_cursor *c, const char *literal);
/* No larger than `max`. */
bool text_take_number(struct text_cursor *c, uint64_t max, uint64_t *v);
bool text_take_signed(struct text_cursor *c, int64_t *v);
/* With "0x" in front. */
bool text_take_hex(struct text_cursor *c, uint64_t *v);
void text_skip_blanks(struct text_cursor *c);
bool text_at_end(struct text_cursor *c); /* blanks aside */

/* ---- text_frame.c ---- */

/* Lines of stacks to tagged addresses. Zero-initialise. */
struct text_frames {
	struct sm_strings lines;
	uint64_t *ips; /* per line */
	size_t cap;
};
/* The frame that a line " name+0x1f/0x40 [module]" names: 0 where it names none. False when memory
 * is short. */
bool text_frame(struct text_frames *f, struct sm_frames *frames, const char *line, size_t len,
	uint64_t *ip);
void text_frames_release(struct text_frames *f);

/* ---- text_rows.c: sums ---- */

/* Rows while they are read: each stack once. Zero-initialise. */
struct text_rows {
	uint32_t *of_stack; /* index in the rows + 1 */
	size_t nstacks, cap;
	uint64_t sums[SM_M_ADDITIVE]; /* stay below 2^63 */
};
struct sm_error *text_rows_begin(struct sm_trace *trace, const char *kind) SM_MUST_CHECK;
/* Adds to the row of `stack`. *fits is false, and nothing is added, where a sum would be too
 * large. */
struct sm_error *text_rows_add(struct text_rows *rows, struct sm_trace *trace, uint32_t stack,
	uint64_t bytes, uint64_t count, bool *fits) SM_MUST_CHECK;
void text_rows_release(struct text_rows *rows);

/* ---- page_owner_events.c: blocks as events ---- */

struct owner_event {
	uint64_t ts;
	uint64_t pfn; /* NO_PFN | number of the block, where it isn't told */
	uint32_t stack;
	uint32_t task; /* index in `tasks` */
	uint32_t gfp;  /* index in `masks` */
	uint8_t order;
};

/* Above all real ones. */
#define NO_PFN (UINT64_C(1) << 62)

struct owner_events {
	struct owner_event *items;
	size_t n, cap;
	struct sm_strings tasks; /* each a struct owner_task */
	struct sm_strings comms;
	struct sm_strings masks;     /* each a uint64_t */
	struct sm_strings mask_text; /* names of the flags */
	uint32_t *mask_names;        /* per mask: in mask_text, SM_NO_STRING */
	size_t names_cap;
	bool has_pfn;
};

struct owner_task {
	int32_t pid, tgid;
	uint32_t comm; /* in `comms`, SM_NO_STRING = unknown */
};

/* Puts events in order, and makes their type. */
struct sm_error *owner_events_finish(struct sm_trace *trace) SM_MUST_CHECK;

/* ---- the texts ---- */

struct sm_error *page_owner_read(struct sm_trace *trace, const char *member) SM_MUST_CHECK;
struct sm_error *allocinfo_read(struct sm_trace *trace, const char *member) SM_MUST_CHECK;

#endif
