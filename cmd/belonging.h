/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether the files with the symbols are those of the kernel that was captured: nearly every
 * address of a stack follows a call instruction, if they are. */
#ifndef SMTOOL_BELONGING_H
#define SMTOOL_BELONGING_H

#include <smtool/record.h>
#include <smtool/symbol.h>

/* Of the kernel, or of a module. */
struct belonging_part {
	const char *module; /* NULL = the kernel itself; borrowed from the symbols */
	const char *path;   /* of its file; NULL = none was found */
	struct sm_call_sites sites;
};

/* Zero-initialise. */
struct belonging {
	struct sm_addresses addresses; /* of all stacks of the trace */
	struct belonging_part *parts;  /* the kernel first, modules by name */
	size_t n, cap;
};

/* Counts over the stacks that the trace holds now. Leaves no parts where there is no vmlinux, or
 * nobody knows its slide. */
struct sm_error *belonging_count(struct belonging *b, const struct sm_trace *trace,
	const struct sm_symbols *syms) SM_MUST_CHECK;
void belonging_release(struct belonging *b);

/* Appends "18,211 of 18,230". */
void belonging_add_share(const struct sm_call_sites *sites, struct sm_buf *buf);
/* Appends 0x1a000000, or -0x200000. */
void belonging_add_slide(uint64_t slide, struct sm_buf *buf);

#endif
