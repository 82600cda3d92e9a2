/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export: a profile, or the difference of two, in the formats of other tools: pprof, folded stacks,
 * speedscope, Firefox Profiler, a flame graph, rows for databases. Part of room view.
 */
#ifndef SMTOOL_EXPORT_H
#define SMTOOL_EXPORT_H

#include <smtool/base.h>
#include <smtool/profile.h>
#include <smtool/symbol.h>
#include <smtool/table.h>

struct sm_export_side {
	const struct sm_profile *profile;
	const struct sm_symbols *syms; /* NULL: there are no names */
};

/* Everything is borrowed. The profiles are by stack, and by the attributes that are asked for. */
struct sm_export {
	struct sm_export_side now;
	struct sm_export_side base;       /* profile NULL = no difference */
	const struct sm_table_opts *opts; /* `limit` and `group` play no part */
	double scale; /* what the base's values are multiplied by; 1, or what evens out windows */
	int64_t time_ns;    /* of the capture, since 1970; 0 = unknown */
	uint32_t labels;    /* pprof: attributes that become labels, bit per enum sm_attr */
	uint32_t root;      /* stacks: attributes that become frames at the root */
	bool annotate;      /* folded: _[k] and _[i] after names */
	const char *device; /* rows: the machine; NULL = unknown */
};

struct sm_export_format {
	const char *name;
	const char *ending; /* of a file's name */
	bool binary;        /* nothing for a terminal */
	bool diff;          /* it can show a difference */
	bool labels, root;  /* which attributes it makes use of */
	/* NULL: sm_export_rows() writes it, to two files. SM_E_USAGE for a metric that one of the
	 * profiles doesn't know. */
	struct sm_error *(*write)(const struct sm_export *x, struct sm_out *out);
};
/* By the names that -f takes. The list ends with a NULL name. */
extern const struct sm_export_format sm_export_formats[];

/* JSON Lines: each stack once, and what was counted of it, by all attributes that the profile has.
 */
struct sm_error *sm_export_rows(
	const struct sm_export *x, struct sm_out *stacks, struct sm_out *facts) SM_MUST_CHECK;
/* The attributes that it wants. */
#define SM_EXPORT_ROWS_ATTRS                                                                \
	(1u << SM_ATTR_COMM | 1u << SM_ATTR_PID | 1u << SM_ATTR_CPU | 1u << SM_ATTR_EVENT | \
		1u << SM_ATTR_CACHE | 1u << SM_ATTR_GFP | 1u << SM_ATTR_ORDER)
/* Those that pprof can label samples by. */
#define SM_EXPORT_LABEL_ATTRS                                                               \
	(1u << SM_ATTR_COMM | 1u << SM_ATTR_PID | 1u << SM_ATTR_CPU | 1u << SM_ATTR_CACHE | \
		1u << SM_ATTR_GFP | 1u << SM_ATTR_ORDER | 1u << SM_ATTR_SIZE)

#endif
