/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace.dat files of both versions, in memory, from what is to be in them. */
#ifndef GEN_DATWRITER_H
#define GEN_DATWRITER_H

#include <smtool/base.h>

enum dw_packing { DW_NONE, DW_ZSTD, DW_ZLIB };

struct dw_text {
	const void *data; /* NULL = empty */
	size_t len;
};

struct dw_format {
	const char *system; /* "ftrace" is written apart */
	struct dw_text text;
};

struct dw_cpu {
	unsigned cpu; /* version 6: must be the index */
	struct dw_text pages;
	const char *stats; /* NULL = none */
};

struct dw_buffer {
	const char *name;   /* "" = the top one, which is the last */
	const char *clock;  /* "local" */
	uint32_t page_size; /* of its sub-buffers; 0 = the machine's */
	const struct dw_cpu *cpus;
	size_t n;
	const char *text; /* a latency tracer's, instead of pages */
};

struct dw_file {
	unsigned version; /* 6, 7 */
	enum dw_packing packing;
	const char *packing_name; /* NULL = as it is */
	bool big_endian;
	unsigned long_size; /* of programs */
	uint32_t page_size;
	unsigned pages_a_chunk; /* 0 = 10, as trace-cmd has it */
	bool no_count;          /* of chunks: as a big-endian trace-cmd writes it */
	bool old_buffers;       /* version 7: without a page size in them */
	struct dw_text header_page, header_event;
	const struct dw_format *formats; /* those of a system one after the other */
	size_t nformats;
	struct dw_text kallsyms, printk, cmdlines;
	const char *clocks, *uname, *recorder, *date, *offset; /* options; NULL = none */
	uint32_t multiplier, shift;                            /* tsc2nsec; 0 = none */
	const struct dw_text *options; /* others as they are: id, length, data */
	size_t noptions;
	const struct dw_buffer *buffers;
	size_t nbuffers;
};

/* Where parts begin, for tests that cut the file there. */
struct dw_marks {
	struct dw_mark {
		const char *what;
		uint64_t at;
	} v[64];
	size_t n;
};

/* `marks` may be NULL. Ends the program when memory is short. */
void dw_write(const struct dw_file *f, struct sm_buf *out, struct dw_marks *marks);

#endif
