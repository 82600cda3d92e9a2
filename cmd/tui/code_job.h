/* SPDX-License-Identifier: GPL-2.0-or-later */
/* code_job: source and disassembly around a call site, made by the worker. */
#ifndef SMTOOL_TUI_CODE_JOB_H
#define SMTOOL_TUI_CODE_JOB_H

#include <smtool/symbol.h>

#include "source_file.h"
#include "view.h"

struct code_insn {
	uint64_t ip;
	const char *text;   /* "(bad)" and the bytes where it is no instruction */
	const char *target; /* NULL = none */
	const char *function, *file;
	uint32_t line;
	bool call; /* the one that is meant */
};

/* Read-only once it is made. */
struct code {
	uint32_t at; /* which frame */
	uint64_t ip;
	/* What the address is; strings of the symbols, which live longer. */
	bool has_name;
	struct sm_symbol symbol;
	const struct sm_line *lines; /* innermost first */
	size_t nlines;
	struct code_insn *insns;
	size_t ninsns, cap;
	char *trouble;              /* why there are none */
	struct source_file **files; /* those that were looked for, found or not */
	size_t nfiles, files_cap;
	struct sm_strings strings;
	bool nomem;
};
void code_free(void *code);
/* The file that was looked for by that name; NULL. */
const struct source_file *code_file(const struct code *c, const char *name);

struct code_job {
	struct view_job base;
	struct side *side;
	struct source_places places; /* `given` and `root` are the caller's */
	uint32_t at;
	uint64_t ip;
	unsigned before, after; /* instructions */
	struct code *result;
};
/* The caller fills base.job.done and the rest. NULL when memory is short. */
struct code_job *code_job_new(struct side *side, uint32_t at, uint64_t ip);
void code_job_free(struct code_job *j);

#endif
