/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view: a profile, a stack map or events to text, JSON and their like. Knows no terminal: whether
 * to colour and how wide, the caller says.
 */
#ifndef SMTOOL_VIEW_H
#define SMTOOL_VIEW_H

#include <smtool/base.h>
#include <smtool/diff.h>
#include <smtool/profile.h>
#include <smtool/record.h>
#include <smtool/symbol.h>
#include <smtool/table.h>
#include <smtool/timeline.h>

/* ---- frames; NULL symbols: there are no names ---- */

/* An address, null where a frame is known by its name alone. */
void sm_ip_json(struct sm_json *j, const char *key, const struct sm_symbols *syms, uint64_t ip);
/* A frame of a stack as JSON: {ip, symbol, offset, size, module, lines}. */
void sm_frame_json(struct sm_json *j, const struct sm_symbols *syms, uint64_t ip);
/* The members of such an object, of an address of any kind. */
void sm_frame_json_members(
	struct sm_json *j, const struct sm_symbols *syms, uint64_t ip, enum sm_address kind);
/* {function, file, line} */
void sm_line_json(struct sm_json *j, const char *key, const struct sm_line *line);
/* "frames": [...] of a stack. */
void sm_frames_json(struct sm_json *j, const char *key, const struct sm_symbols *syms,
	const uint64_t *ips, uint32_t depth);
/* ---- a table ---- */

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

/* Ways to write a comparison, likewise. */
struct sm_diff_style {
	struct sm_style base;
	bool unicode;    /* the terminal shows more than ASCII */
	bool suppressed; /* suppressed rows are wanted too */
};
struct sm_diff_format {
	const char *name;
	void (*write)(
		const struct sm_diff *diff, const struct sm_diff_style *style, struct sm_out *out);
};
extern const struct sm_diff_format sm_diff_formats[];

/* The honesty line: window, loss, what is unresolved. Without a newline. */
void sm_health_text(const struct sm_profile *profile, struct sm_buf *buf);
/* The same, and what is to be known of this metric. */
void sm_honesty_text(const struct sm_profile *profile, enum sm_metric by, struct sm_buf *buf);
/* "health": {...} with the keys of the contract. */
void sm_health_json(struct sm_json *j, const char *key, const struct sm_health *health);

/* ---- a timeline ---- */

struct sm_timeline_view {
	const struct sm_timeline *timeline;
	const struct sm_profile *profile; /* that came with it */
	/* Whose first rows the series are, but the last one, which is all else; NULL where the
	 * timeline isn't divided. */
	const struct sm_table *table;
	enum sm_metric by;
	const char *hint; /* the command that explains the peak; NULL = none */
};

struct sm_timeline_style {
	bool color;
	bool utf8;       /* else ASCII alone */
	unsigned width;  /* columns */
	unsigned height; /* rows of the plot itself */
};

/* How many points a text of that width shows one by one. */
unsigned sm_timeline_columns(unsigned width);

/* Ways to write it, by the names that -f takes. The list ends with a NULL name. */
struct sm_timeline_format {
	const char *name;
	void (*write)(const struct sm_timeline_view *view, const struct sm_timeline_style *style,
		struct sm_out *out);
};
extern const struct sm_timeline_format sm_timeline_formats[];

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
	struct event_preparation *preparation;
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

/* Tells, between begin() and event(), what comes: announce a batch's events, prepare them at once,
 * then write them. That is much faster where names come from files with debug information, and
 * gives the slide addresses to be inferred from. */
void sm_event_announce(struct sm_event_writer *w, const struct sm_event *ev);
void sm_event_prepare(struct sm_event_writer *w);

/* ---- addresses in text ---- */

/* An address as it is written. Borrowed from the text. */
struct sm_mention {
	const char *text;
	size_t len;
	const char *name; /* NULL = a plain number, `offset` */
	size_t name_len;
	const char *module; /* NULL = none is named */
	size_t module_len;
	uint64_t offset, size;
	bool has_offset, has_size; /* name+0xoffset/0xsize */
};

/* Takes the next address of a list with blanks between them: hexadecimal with or without 0x, or
 * NAME[+0xOFFSET[/0xSIZE]][ [MODULE]]. *found is false at the end; SM_E_FORMAT for a word that is
 * neither, which is taken too: m->text. */
struct sm_error *sm_mention_take(
	const char **p, const char *end, struct sm_mention *m, bool *found) SM_MUST_CHECK;
/* The run-time address that is meant: returns how many symbols of that name, module and size there
 * are, and the lowest of their addresses in *ip. A name without a module is the kernel's own, or,
 * with `any_module`, where it has none like that, any module's. */
size_t sm_mention_resolve(
	const struct sm_symbols *syms, const struct sm_mention *m, bool any_module, uint64_t *ip);

/*
 * Copies text, and adds what the source says behind each address in it that is known:
 *   name+0x1f/0x40 (file.c:12; inlined: inner file.h:3)    0xffffffff81234567 (name+0x1f/0x40
 * file.c:12) All else stays as it is. Borrows `syms` and `out`.
 */
struct sm_filter_opts {
	bool color;  /* what is added */
	bool escape; /* control characters, for a terminal */
};
struct sm_filter;
/* NULL when memory is short. */
struct sm_filter *sm_filter_new(
	const struct sm_symbols *syms, const struct sm_filter_opts *opts, struct sm_out *out);
void sm_filter_free(struct sm_filter *f);
/* `text` is whole lines; a part of one where lines are too long, or where the text ends. What it
 * needs is read from files at once for all of `text`. */
void sm_filter_write(struct sm_filter *f, const char *text, size_t len);

/* ---- an address on its own ---- */

struct sm_address_style {
	enum sm_address kind;
	bool color;
	bool disasm; /* instructions around it, at most so many: */
	unsigned before, after;
};

/* ADDRESS name+0x1f/0x40, then a line for each function: "  inner (inlined) file.h:3", "  name
 * file.c:12", then instructions. Where a name can't be found, NULL `ip`: its text and "??". */
void sm_address_text(const struct sm_symbols *syms, const struct sm_mention *mention,
	const uint64_t *ip, const struct sm_address_style *style, struct sm_out *out);
/* A frame as in `dump`, with `disasm` where it is wanted. */
void sm_address_json(struct sm_json *j, const struct sm_symbols *syms, const uint64_t *ip,
	const struct sm_address_style *style);

#endif
