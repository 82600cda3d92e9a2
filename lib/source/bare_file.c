/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file of the kernel's alone, at the place where it would be in a capture. */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

static bool has(const struct sm_source *src, const char *name)
{
	return !strcmp(name, src->only);
}

static struct sm_error *list(const struct sm_source *src, const char *dir, struct sm_names *names)
{
	size_t cap = 0;

	return sm_names_add_below(names, &cap, src->only, dir) ? NULL : sm_error_nomem();
}

static struct sm_error *stream(
	const struct sm_source *src, const char *name, struct sm_stream **stream)
{
	const char *base = strrchr(src->only, '/') + 1;
	char *path;
	int fd;

	if (!has(src, name)) {
		struct sm_buf what = {0};
		struct sm_error *err;

		sm_buf_addf(&what, "not in a %s", base);
		err = sm_error_new(SM_E_MISSING, src->path, what.data ? what.data : "missing",
			"'%s' would be in a capture", name);
		sm_buf_release(&what);
		return err;
	}
	path = strdup(src->path);
	if (src->size)
		return sm_stream_new_range(src, NULL, 0, src->size, path, stream);
	/* The kernel's own file: each reader needs a new export, and gets it by opening. */
	fd = open(src->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		int errnum = errno;

		free(path);
		return sm_error_errno(errnum, src->path, "cannot open", NULL);
	}
	return sm_stream_new_fd(fd, path, 0, false, stream);
}

static struct sm_error *read_file(
	const struct sm_source *src, const char *name, uint64_t max, struct sm_blob *blob)
{
	struct sm_stream *s;
	struct sm_error *err = stream(src, name, &s);

	if (err)
		return err;
	if (max && src->size > max)
		err = sm_blob_too_large(src->path, max);
	else if (sm_blob_load(src->fd, 0, src->size, s->path, blob))
		s->path = NULL;
	else
		return sm_blob_read_stream(s, max, blob);
	sm_stream_free(s);
	return err;
}

static const struct source_ops bare_file_ops = {
	.has = has,
	.list = list,
	.read = read_file,
	.stream = stream,
};

void sm_bare_file_open(struct sm_source *src, enum sm_source_kind kind, const char *member)
{
	src->kind = kind;
	src->only = member;
	src->ops = &bare_file_ops;
}
