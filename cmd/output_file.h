/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SMTOOL_OUTPUT_FILE_H
#define SMTOOL_OUTPUT_FILE_H

#include <smtool/base.h>

/* As -o takes it: NULL and "-" are standard output. */
static inline bool output_is_stdout(const char *path)
{
	return !path || !strcmp(path, "-");
}

/*
 * A file that appears under its name only once it is complete. Until then it has no name where the
 * file system can do that, else one beside the final one. What isn't a regular file (a FIFO,
 * /dev/null) is written in place.
 */
struct output_file {
	int fd;
	char *path;       /* as given */
	char *final;      /* links resolved; NULL = written in place */
	char *temporary;  /* NULL = no name yet */
	const char *keep; /* why not in place of another, and what to do; NULL = in its place */
};

/* Of commands that have it. */
#define OUTPUT_FILE_FORCE "--force replaces it"

/* With `keep`, a literal, a file that exists is an error, SM_E_REFUSED, whether it does now or at
 * the end, and these are its details. */
struct sm_error *output_file_open(
	struct output_file *f, const char *path, const char *keep) SM_MUST_CHECK;
/* That error, with OUTPUT_FILE_FORCE, where there is such a file. */
struct sm_error *output_file_check(const char *path) SM_MUST_CHECK;
/* Puts the file in place of what may be there. Whatever happens, `f` is released. */
struct sm_error *output_file_commit(struct output_file *f) SM_MUST_CHECK;
/* Drops it. */
void output_file_discard(struct output_file *f);

#endif
