/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SMTOOL_OUTPUT_FILE_H
#define SMTOOL_OUTPUT_FILE_H

#include <smtool/base.h>

/*
 * A file that appears under its name only once it is complete. Until then it has no name where the
 * file system can do that, else one beside the final one. What isn't a regular file (a FIFO,
 * /dev/null) is written in place.
 */
struct output_file {
	int fd;
	char *path;      /* as given */
	char *final;     /* links resolved; NULL = written in place */
	char *temporary; /* NULL = no name yet */
};

struct sm_error *output_file_open(struct output_file *f, const char *path) SM_MUST_CHECK;
/* Puts the file in place of what may be there. Whatever happens, `f` is released. */
struct sm_error *output_file_commit(struct output_file *f) SM_MUST_CHECK;
/* Drops it. */
void output_file_discard(struct output_file *f);

#endif
