/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files with units that a test says as tables: functions, what is inlined into them, rows. */
#ifndef UNIT_MADE_UNIT_H
#define UNIT_MADE_UNIT_H

#include "lookup.h"

#define TEXT UINT64_C(0xffffffff81000000)
#define TEXT_SIZE 0x200

struct made_file {
	struct ew *f;
	struct ew_section *text;
	struct dw *d;
	struct lookup l;
};

/* A function (depth 0) or what is inlined into the one before of lower depth. It is called in line
 * 100 + its place in the unit. */
struct spec {
	unsigned depth;
	const char *name; /* NULL = none */
	unsigned nranges;
	uint16_t ranges[3][2];
};

/* A row of a.c; line 0 = the sequence ends there. */
struct row {
	uint16_t at, line;
};

/* An x86-64 file with a .text at TEXT, or elsewhere. */
void made_begin(struct made_file *m);
void made_begin_at(struct made_file *m, uint64_t base);
/* A unit that says it has all of .text. */
void made_unit(struct made_file *m, const struct spec *specs, size_t n, const struct row *rows,
	size_t nrows);
#define MADE_UNIT(m, specs, rows) \
	made_unit(m, specs, SM_ARRAY_SIZE(specs), rows, SM_ARRAY_SIZE(rows))
/* The file is finished: m->l. */
void made_look(struct made_file *m);

#endif
