/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `check` has to say, in the order in which it was found. */
#ifndef SMTOOL_REPORT_H
#define SMTOOL_REPORT_H

#include <smtool/base.h>

enum severity {
	SEVERITY_ERROR,   /* the capture, or its symbols, can't be trusted */
	SEVERITY_WARNING, /* sound, but something is missing from it */
	SEVERITY_NOTE,
	SEVERITY_NR
};

/* Zero-initialise. */
struct report {
	struct finding {
		enum severity severity;
		struct sm_error *err; /* where and what */
	} * items;
	size_t n, cap;
	size_t counts[SEVERITY_NR];
	bool failed; /* memory was short: some are missing */
};

/* Takes `err`. */
void report_take(struct report *r, enum severity severity, struct sm_error *err);
/* `path` may be NULL. */
void report_add(struct report *r, enum severity severity, const char *path, const char *what,
	const char *detail_fmt, ...) SM_PRINTF(5, 6);
void report_release(struct report *r);

void report_write_text(const struct report *r, struct sm_out *out);
void report_write_json(const struct report *r, struct sm_out *out);

#endif
