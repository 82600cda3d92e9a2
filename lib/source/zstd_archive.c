/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compressed archives. Where frames are small, or lie inside one member's data, a member is found
 * by the frame that its data starts in; frames inside its data are passed over without
 * decompressing them. Where one large frame holds many members, all is decompressed once, into a
 * spool file.
 */
#include "internal.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* A frame that holds tar headers is decompressed again for each member in it, up to this size. */
#define FRAME_MAX (128 << 10)

struct walk {
	struct tar tar;
	struct frames z;
	uint8_t *buf;
	int spool;  /* -1 = members are found by frame */
	bool large; /* found a frame that asks for a spool */
};

/* Passes over a frame that the index has no interest in. */
static bool pass_over(struct walk *w)
{
	size_t frame_size;
	uint64_t content;

	if (!sm_frames_peek(&w->z, &frame_size, &content) || content > sm_tar_skippable(&w->tar))
		return false;
	sm_tar_skip(&w->tar, content);
	w->z.off += frame_size;
	return true;
}

static struct sm_error *walk_frames(struct walk *w)
{
	struct sm_source *src = w->tar.src;
	struct frames *z = &w->z;
	struct sm_error *err;
	size_t len;

	while (w->tar.state != TAR_END) {
		sm_progress_tick(src->opts.progress, "indexing", z->off, z->size);
		if (!z->inside) {
			if (sm_frames_end(z))
				return sm_tar_eof(&w->tar, z->size);
			if (w->spool < 0 && pass_over(w))
				continue;
			w->tar.frame_off = z->off;
			w->tar.frame_pos = w->tar.pos;
		}
		err = sm_frames_read(z, w->buf, SOURCE_STREAM_BUF, &len);
		if (err)
			return err;
		if (w->spool >= 0) {
			err = sm_spool_write(w->spool, w->buf, len);
			src->size += len;
		} else if (z->frame_out > FRAME_MAX) {
			w->large = true;
			return NULL;
		}
		if (!err)
			err = sm_tar_feed(&w->tar, w->buf, len);
		if (err)
			return err;
	}
	return NULL;
}

/* `spool` is -1, or where to write what is decompressed. */
static struct sm_error *walk_archive(struct sm_source *src, size_t size, int spool, bool *large)
{
	struct walk w = {.spool = spool};
	struct sm_error *err;

	sm_members_release(&src->members);
	sm_tar_init(&w.tar, src);
	w.tar.framed = spool < 0;
	w.tar.compressed = true;
	w.buf = malloc(SOURCE_STREAM_BUF);
	err = w.buf ? sm_frames_init(&w.z, src->map, size, 0, src->path) : sm_error_nomem();
	if (!err)
		err = walk_frames(&w);
	if (err && w.tar.not_tar) {
		sm_error_free(err);
		err = sm_error_new(SM_E_UNSUPPORTED, src->path, "zstd data that is no tar archive",
			"if it is a stack_map_bin, decompress it first: zstd -d");
	}
	*large = w.large;
	sm_frames_release(&w.z);
	sm_tar_release(&w.tar);
	free(w.buf);
	return err;
}

static struct sm_error *fill_frames(struct sm_stream *s, uint8_t *buf, size_t cap, size_t *len)
{
	struct frames *z = s->frames;
	struct sm_error *err;

	*len = 0;
	if (!s->left)
		return sm_frames_close(z);
	for (;;) {
		err = sm_frames_read(z, buf, cap, len);
		if (err || *len > s->skip || sm_frames_end(z))
			break;
		s->skip -= *len;
	}
	if (!err && *len <= s->skip)
		err = sm_archive_cut(s->src, s->member, s->size - s->left);
	if (err) {
		*len = 0;
		return err;
	}
	if (s->skip) {
		*len -= (size_t)s->skip;
		memmove(buf, buf + s->skip, *len);
		s->skip = 0;
	}
	if (*len > s->left)
		*len = (size_t)s->left;
	s->left -= *len;
	return NULL;
}

static const struct stream_ops frames_ops = {.fill = fill_frames};

static struct sm_error *stream_member(
	const struct sm_source *src, const char *name, struct sm_stream **stream)
{
	const struct member *m = sm_members_find(&src->members, name);
	struct sm_error *err;
	struct sm_stream *s;

	if (!m)
		return sm_archive_missing(src, name);
	err = sm_stream_new(&frames_ops, sm_archive_member_path(src, name), &s);
	if (err)
		return err;
	s->src = src;
	s->member = m;
	s->size = s->left = m->size;
	s->skip = m->skip;
	s->frames = calloc(1, sizeof(*s->frames));
	err = s->frames ? sm_frames_init(s->frames, src->map, (size_t)src->size, (size_t)m->offset,
				  src->path)
			: sm_error_nomem();
	if (err)
		sm_stream_free(s);
	else
		*stream = s;
	return err;
}

static struct sm_error *read_member(
	const struct sm_source *src, const char *name, uint64_t max, struct sm_blob *blob)
{
	struct sm_stream *s;
	struct sm_error *err = stream_member(src, name, &s);

	return err ? err : sm_blob_read_stream(s, max, blob);
}

static const struct source_ops framed_ops = {
	.has = sm_archive_has,
	.list = sm_archive_list,
	.read = read_member,
	.stream = stream_member,
};

/* Turns to a spool file; the archive's own isn't needed any more afterwards. */
static struct sm_error *open_spooled(struct sm_source *src)
{
	size_t size = (size_t)src->size;
	struct sm_error *err;
	bool large;
	int spool;

	err = sm_spool_new(src->opts.tmpdir, &spool);
	if (err)
		return err;
	src->size = 0;
	err = walk_archive(src, size, spool, &large);
	munmap((void *)src->map, size);
	src->map = NULL;
	close(src->fd);
	src->fd = spool;
	src->ops = &sm_tar_archive_ops;
	return err;
}

struct sm_error *sm_zstd_archive_open(struct sm_source *src)
{
	struct sm_error *err;
	bool large;
	void *map;

	src->kind = SM_SOURCE_TAR_ZST;
	src->ops = &framed_ops;
	if (src->size > SIZE_MAX / 2)
		return sm_error_new(SM_E_UNSUPPORTED, src->path, "archive too large",
			"it doesn't fit in this machine's address space");
	map = mmap(NULL, (size_t)src->size, PROT_READ, MAP_PRIVATE, src->fd, 0);
	if (map == MAP_FAILED)
		return sm_error_errno(errno, src->path, "cannot map", NULL);
	src->map = map;
	err = walk_archive(src, (size_t)src->size, -1, &large);
	if (!err && large)
		err = open_spooled(src);
	if (err && err->code != SM_E_FORMAT && err->code != SM_E_TRUNCATED)
		return err;
	src->damage = err;
	return sm_members_finish(&src->members) ? NULL : sm_error_nomem();
}
