/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A page_owner, or its sums, while it is read. */
#ifndef SM_RECORD_PAGE_OWNER_H
#define SM_RECORD_PAGE_OWNER_H

#include "text.h"

#define MAX_FRAMES 256

enum kind { KIND_UNKNOWN, KIND_OWNER, KIND_PAGES, KIND_COUNTS, KIND_SORTED };

struct block {
	bool begun;       /* something of it was understood */
	bool header, bad; /* "Page allocated via order ..." */
	bool has_pages;   /* nr_base_pages, or of page_owner_sort */
	bool has_times;   /* stack_count, or of page_owner_sort */
	bool sorted, has_handle;
	struct owner_event event;
	struct owner_task task;
	uint64_t pages, times;
	uint64_t ips[MAX_FRAMES];
	uint32_t depth;
};

struct owner {
	struct sm_trace *trace;
	struct text_reader in;
	struct text_frames frames;
	struct text_rows rows;
	struct owner_events *events;
	enum kind kind;
	struct block block;
	struct sm_buf header; /* one whose task's name goes on in the next line */
	uint64_t stacks;      /* blocks with frames */
	bool handles;         /* there are numbers that stand for stacks */
	struct sm_error *err;
};

/* Notes that memory is short; false. */
bool owner_no_memory(struct owner *o);

/* ---- page_owner_header.c ---- */

/* A line "Page allocated via order ...", into the block. */
void owner_take_header(struct owner *o, const char *line, size_t len);
/* The line after one whose task has a line break in its name: o->header holds that. */
void owner_continue_header(struct owner *o, const char *line, size_t len);

#endif
