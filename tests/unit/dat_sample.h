/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace.dat with all that is read of one, for tests that change a part. */
#ifndef UNIT_DAT_SAMPLE_H
#define UNIT_DAT_SAMPLE_H

#include "scratch.h"

#include "gen/datwriter.h"

#define CPU(n) SM_TRACING "/per_cpu/cpu" #n
#define OTHER SM_TRACING "/instances/other"
#define PAGES (23 * 4096)
#define TEXT(s)                  \
	{                        \
		s, sizeof(s) - 1 \
	}
#define HEADER_PAGE                                                 \
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"  \
	"\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n" \
	"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"  \
	"\tfield: char data;\toffset:12;\tsize:4084;\tsigned:1;\n"

struct sample {
	struct dw_file file;
	struct dw_format formats[4];
	struct dw_cpu top[3], other[2];
	struct dw_buffer buffers[2];
	uint8_t *pages[3];
	char kallsyms[200000];
};

void make_sample(struct sample *s);
/* What is damaged many times. */
void make_small(struct sample *s);
void drop_sample(struct sample *s);
/* Variant `i` of a sample: versions, byte orders, compressions; false past the last. */
bool next_variant(struct sample *s, unsigned i);
/* Into `out` alone, or into the file trace.dat as well. `marks` may be NULL. */
void rewrite_sample(const struct sample *s, struct sm_buf *out, struct dw_marks *marks);
void write_sample(const struct scratch *dir, const struct sample *s, struct sm_buf *out,
	struct dw_marks *marks);

/* The member is this text. */
void has_text(const struct sm_source *src, const char *name, const char *text);
/* trace.dat opens with damage whose text has `text` in it. */
void damage_is(const struct scratch *dir, const char *text);

#endif
