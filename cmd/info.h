/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SMTOOL_INFO_H
#define SMTOOL_INFO_H

#include <smtool/view.h>

#include "belonging.h"
#include "input.h"

struct info {
	struct cli *cli;
	struct input in;
	const struct sm_trace *trace;
	const char *build_id; /* NULL = unknown */
	struct sm_symbols_facts facts;
	struct belonging belonging;
	/* The running kernel's pages are not read: reading takes them away. */
	bool pages_read;
	uint64_t *counts; /* per type, then those without a format */
	uint64_t records, pages, bytes, overrun;
	/* the map's */
	uint64_t ref_count, distinct;
	/* of the events */
	uint64_t page_stacks, with_stack, with_id;
};

/* Bytes of the page files, as far as they were read. */
uint64_t info_page_bytes(const struct info *info);
const char *info_byte_order(const struct sm_trace *trace);
/* How many events share a record of the map; 0 = nobody knows. */
double info_dedup_ratio(const struct info *info);
/* Puts an event's name into `buf`, with its system where the name alone could be another's. */
void info_event_name(const struct sm_trace *trace, size_t type, struct sm_buf *buf);

void info_label(struct sm_out *out, const char *name);
/* A labelled line; none where there is no value. */
void info_text_line(struct sm_out *out, const char *name, const char *value);

/* info_symbols.c: what names come from. */
void info_write_symbols(const struct info *info, struct sm_out *out);
void info_write_json_slide(struct sm_json *j, const struct info *info);
void info_write_json_symbols(struct sm_json *j, const struct info *info);

/* info_text.c: of page_owner and its like. */
void info_write_text(const struct info *info, struct sm_out *out);
void info_write_json_text(struct sm_json *j, const struct info *info);

void info_write_json(const struct info *info, struct sm_out *out);

#endif
