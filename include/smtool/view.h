/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view: a profile, a stack map or events to text, JSON and their like. Knows no terminal: whether
 * to colour and how wide, the caller says.
 */
#ifndef SMTOOL_VIEW_H
#define SMTOOL_VIEW_H

#include <smtool/base.h>
#include <smtool/profile.h>
#include <smtool/record.h>
#include <smtool/symbol.h>

/* ---- frames; NULL symbols: there are no names ---- */

/* One frame as JSON: {ip, symbol, offset, size, module, lines}. */
void sm_frame_json(struct sm_json *j, const struct sm_symbols *syms, uint64_t ip);
/* "frames": [...] of a stack. */
void sm_frames_json(struct sm_json *j, const char *key, const struct sm_symbols *syms,
	const uint64_t *ips, uint32_t depth);
/* A hash of what the frames are (function, offset in it, module's build id), equal across resets,
 * boots and KASLR. 64-bit FNV-1a over, per frame, innermost first: name NUL offset(8 bytes LE)
 * build-id-hex NUL, or "?" NUL and the address(8 bytes LE) where unresolved. */
uint64_t sm_stack_key(const struct sm_symbols *syms, const uint64_t *ips, uint32_t depth);

/* ---- a table: the rows that are shown ---- */

enum sm_group {
	SM_GROUP_STACK,
	SM_GROUP_FUNCTION, /* the innermost frame's, with the cumulative value of all that call it
			    */
	SM_GROUP_CALLER,   /* the innermost frame itself: the call site */
	SM_GROUP_MODULE,   /* of the innermost frame */
	SM_GROUP_ATTR,     /* the profile's own */
};

struct sm_table_opts {
	enum sm_metric by;
	enum sm_group group;
	size_t limit; /* 0 = all */
	/* POSIX extended regular expressions on "name [module]" of each frame */
	struct sm_patterns focus, ignore, hide;
	bool no_skip; /* keep the tracing and allocator frames on top */
};

struct sm_table_row {
	uint64_t m[SM_M_NR];
	uint64_t cumulative; /* SM_GROUP_FUNCTION */
	const char *label;   /* NULL for stacks; "[no stack]", "[unresolved id]" */
	const uint64_t *ips; /* what is left of the stack; depth 0 where there is none */
	uint32_t depth;
	const uint32_t *stack_ids; /* of the map, ascending */
	size_t nstack_ids;
};

struct sm_table {
	const struct sm_profile *profile; /* borrowed, as is syms */
	const struct sm_symbols *syms;
	struct sm_table_opts opts;
	uint64_t totals[SM_M_NR]; /* of all rows that the filters chose */
	struct sm_table_row *rows;
	size_t nrows;
	size_t hidden_rows;
	uint64_t hidden_value;
	struct sm_table_private *priv;
};

/* SM_E_USAGE for a bad regular expression, or a metric that the profile doesn't know. */
struct sm_error *sm_table_build(const struct sm_profile *profile, const struct sm_symbols *syms,
	const struct sm_table_opts *opts, struct sm_table **table) SM_MUST_CHECK;
void sm_table_free(struct sm_table *table);

struct sm_style {
	bool color;
	unsigned width; /* columns, 0 = don't cut */
};

/* Ways to write a table, by the names that -f takes. The list ends with a NULL name. */
struct sm_table_format {
	const char *name;
	void (*write)(
		const struct sm_table *table, const struct sm_style *style, struct sm_out *out);
};
extern const struct sm_table_format sm_table_formats[];

/* The honesty line: window, loss, what is unresolved. Without a newline. */
void sm_health_text(const struct sm_profile *profile, struct sm_buf *buf);
/* "health": {...} with the keys of the contract. */
void sm_health_json(struct sm_json *j, const char *key, const struct sm_health *health);

/* 1536 -> "1.5 KiB", 12 -> "12 B" */
void sm_human_bytes(uint64_t bytes, struct sm_buf *buf);
/* 1234567 -> "1,234,567" */
void sm_human_count(uint64_t n, struct sm_buf *buf);
/* 1.234 s, 12 ms */
void sm_human_ns(uint64_t ns, struct sm_buf *buf);

/* ---- stacks as they are (dump) ---- */

/* Stacks to print: a map's records, or what was found in the pages of an unpatched kernel. */
struct sm_stack_list {
	const struct sm_map_record *records;
	size_t n;
	const char *byte_order; /* "little", "big" */
	uint32_t version;       /* 0 = not from a map */
	uint32_t nr_stacks;     /* as the map's header says, whatever is printed of them */
};

struct sm_dump_format {
	const char *name; /* text, json, jsonl, csv, folded */
	void (*write)(const struct sm_stack_list *list, const struct sm_symbols *syms,
		struct sm_out *out);
};
extern const struct sm_dump_format sm_dump_formats[];

/* ---- events (dump --events) ---- */

struct sm_event_writer {
	const struct sm_trace *trace;
	const struct sm_symbols *syms;
	struct sm_out *out;
	struct sm_buf scratch;
	/* Private: filled by begin(), released by end(). */
	bool any;
	struct fragments *fragments;
};

/* `trace`, `syms` and `out` are filled before begin(); end() must follow it, also after a failure.
 * Memory that is short shows as an error of `out`. Events need their payloads: sm_run_opts.raw. */
struct sm_event_format {
	const char *name; /* text, json, jsonl, csv */
	void (*begin)(struct sm_event_writer *w);
	void (*event)(
		struct sm_event_writer *w, const struct sm_batch *batch, const struct sm_event *ev);
	void (*end)(struct sm_event_writer *w);
};
extern const struct sm_event_format sm_event_formats[];

#endif
