/* SPDX-License-Identifier: GPL-2.0-or-later */
/* source_file: the source text of a kernel, found and read. The worker's. */
#ifndef SMTOOL_TUI_SOURCE_FILE_H
#define SMTOOL_TUI_SOURCE_FILE_H

#include <smtool/base.h>

/* Where it is looked for, in this order. All borrowed, NULL = unknown. */
struct source_places {
	const char *const *given; /* directories */
	size_t ngiven;
	const char *vmlinux; /* beside it, and where its build's link leads */
	const char *release; /* untrusted: lib/modules/RELEASE/source, Debian's linux-source... */
	const char *root;    /* of the system in whose usual places; "" = this one */
	bool absolute;       /* absolute names of files are to be trusted */
};

struct source_file {
	char *name; /* as it was asked for */
	char *path; /* the file that was taken, or, without data, one that has too few lines; NULL =
		       none was found */
	char *data; /* NULL = there is none */
	size_t len;
	size_t *starts; /* of lines, and the end */
	size_t nlines;
};

/*
 * Finds `name`, which is untrusted, as "mm/slub.c" or with more in front, which a build adds: of
 * the names that are left when directories are taken away from its beginning the longest that is
 * there, but never the last directory. What is in a directory stays there: no "..", no link that
 * leads out of it. A file with less lines than `line` isn't taken: it is another version's. NULL
 * when memory is short.
 */
struct source_file *source_file_find(
	const struct source_places *places, const char *name, uint32_t line);
void source_file_free(struct source_file *f);
/* A line, from 1 on, without its end; NULL where it isn't. */
const char *source_file_line(const struct source_file *f, uint32_t line, size_t *len);

#endif
