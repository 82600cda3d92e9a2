/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Archives whose members lie uncompressed in src->fd, and what all archives share. */
#include "internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define INDEX_BUF 4096

char *sm_archive_member_path(const struct sm_source *src, const char *name)
{
	char *path;

	return asprintf(&path, "%s:%s", src->path, name) < 0 ? NULL : path;
}

struct sm_error *sm_archive_missing(const struct sm_source *src, const char *name)
{
	return sm_error_new(SM_E_MISSING, src->path, "not in the capture", "no member '%s'%s", name,
		src->damage ? ", or it was lost: the archive is damaged" : "");
}

bool sm_archive_has(const struct sm_source *src, const char *name)
{
	return sm_members_find(&src->members, name) != NULL;
}

struct sm_error *sm_archive_list(
	const struct sm_source *src, const char *dir, struct sm_names *names)
{
	return sm_members_list(&src->members, dir, names) ? NULL : sm_error_nomem();
}

struct sm_error *sm_archive_cut(const struct sm_source *src, const struct member *m, uint64_t have)
{
	const struct sm_error *damage = src->damage;

	return sm_error_at(damage ? damage->code : SM_E_TRUNCATED, src->path,
		damage && damage->has_offset ? damage->offset : src->size,
		"archive member cut short", "'%s' has %llu of %llu bytes", m->name,
		(unsigned long long)have, (unsigned long long)m->size);
}

static struct sm_error *read_member(
	const struct sm_source *src, const char *name, uint64_t max, struct sm_blob *blob)
{
	const struct member *m = sm_members_find(&src->members, name);
	struct sm_stream *s;
	struct sm_error *err;
	char *path;

	if (!m)
		return sm_archive_missing(src, name);
	path = sm_archive_member_path(src, name);
	if (!path)
		return sm_error_nomem();
	if (m->offset <= src->size && m->size <= src->size - m->offset) {
		if (max && m->size > max) {
			err = sm_blob_too_large(path, max);
			free(path);
			return err;
		}
		if (sm_blob_load(src->fd, m->offset, m->size, path, blob))
			return NULL;
	}
	err = sm_stream_new_range(src, m, m->offset, m->size, path, &s);
	return err ? err : sm_blob_read_stream(s, max, blob);
}

static struct sm_error *stream_member(
	const struct sm_source *src, const char *name, struct sm_stream **stream)
{
	const struct member *m = sm_members_find(&src->members, name);

	if (!m)
		return sm_archive_missing(src, name);
	return sm_stream_new_range(
		src, m, m->offset, m->size, sm_archive_member_path(src, name), stream);
}

const struct source_ops sm_tar_archive_ops = {
	.has = sm_archive_has,
	.list = sm_archive_list,
	.read = read_member,
	.stream = stream_member,
};

static struct sm_error *index_tar(struct tar *t)
{
	struct sm_source *src = t->src;
	uint8_t buf[INDEX_BUF];
	uint64_t off = 0;
	struct sm_error *err;

	while (t->state != TAR_END) {
		uint64_t skip = sm_tar_skippable(t);
		size_t n;

		if (skip > src->size - off)
			skip = src->size - off;
		sm_tar_skip(t, skip);
		off += skip;
		if (off == src->size)
			return sm_tar_eof(t, off);
		if (!sm_spool_pread(src->fd, buf, sizeof(buf), off, &n))
			return sm_error_errno(errno, src->path, "cannot read", NULL);
		if (!n) { /* became shorter meanwhile */
			src->size = off;
			continue;
		}
		err = sm_tar_feed(t, buf, n);
		if (err)
			return err;
		off += n;
		sm_progress_tick(src->opts.progress, "indexing", off, src->size);
	}
	return NULL;
}

struct sm_error *sm_tar_archive_open(struct sm_source *src)
{
	struct tar t;
	struct sm_error *err;

	src->kind = SM_SOURCE_TAR;
	src->ops = &sm_tar_archive_ops;
	sm_tar_init(&t, src);
	err = index_tar(&t);
	sm_tar_release(&t);
	if (err && err->code != SM_E_FORMAT && err->code != SM_E_TRUNCATED)
		return err;
	src->damage = err;
	return sm_members_finish(&src->members) ? NULL : sm_error_nomem();
}
