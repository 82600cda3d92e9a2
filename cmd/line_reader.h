/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines from a file or a pipe: many at once where they are there, each at once where somebody waits
 * for the answer. */
#ifndef SMTOOL_LINE_READER_H
#define SMTOOL_LINE_READER_H

#include <smtool/base.h>

/* Zero-initialise but for the first two. */
struct line_reader {
	int fd;
	const char *path; /* for errors */
	char *buf;
	size_t len, cap, taken;
	bool ended;
};

/* Lends the next whole lines: *len 0 at the end. A last line without an end, and a part of one that
 * is longer than a megabyte, come as they are. *idle: nothing more is there for now, so what the
 * lines lead to had better be written out. */
struct sm_error *line_reader_next(
	struct line_reader *r, const char **text, size_t *len, bool *idle) SM_MUST_CHECK;
void line_reader_release(struct line_reader *r);

#endif
