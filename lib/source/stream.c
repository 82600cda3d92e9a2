/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Streams: a buffer that an ops function fills, and the fill for descriptors. */
#include "dat.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

struct sm_error *sm_stream_new(const struct stream_ops *ops, char *path, struct sm_stream **stream)
{
	struct sm_stream *s = path ? calloc(1, sizeof(*s)) : NULL;

	if (!s) {
		free(path);
		return sm_error_nomem();
	}
	s->ops = ops;
	s->path = path;
	s->own_fd = -1;
	*stream = s;
	return NULL;
}

static struct sm_error *fill_fd(struct sm_stream *s, uint8_t *buf, size_t cap, size_t *len)
{
	ssize_t n;

	*len = 0;
	if (s->own_fd < 0)
		return NULL;
	do {
		n = read(s->own_fd, buf, cap);
	} while (n < 0 && errno == EINTR);
	if (n >= 0) {
		*len = (size_t)n;
		s->pos += (uint64_t)n;
		return NULL;
	}
	if (errno == EAGAIN || (errno == ENODEV && s->pipe))
		return NULL;
	if (errno == ESTALE)
		return sm_error_at(SM_E_STALE, s->path, s->pos,
			"the stack map was reset while it was read", "read it again");
	return sm_error_errno(errno, s->path, "cannot read", NULL);
}

static const struct stream_ops fd_ops = {.fill = fill_fd};

struct sm_error *sm_stream_new_fd(
	int fd, char *path, uint64_t size, bool pipe, struct sm_stream **stream)
{
	struct sm_error *err = sm_stream_new(&fd_ops, path, stream);

	if (err) {
		if (fd >= 0)
			close(fd);
		return err;
	}
	(*stream)->own_fd = fd;
	(*stream)->size = size;
	(*stream)->pipe = pipe;
	return NULL;
}

static struct sm_error *fill_range(struct sm_stream *s, uint8_t *buf, size_t cap, size_t *len)
{
	ssize_t n;

	*len = 0;
	if (cap > s->left)
		cap = (size_t)s->left;
	if (!cap)
		return NULL;
	do {
		n = pread(s->src->fd, buf, cap, (off_t)s->pos);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return sm_error_errno(errno, s->path, "cannot read", NULL);
	if (!n && s->member)
		return sm_archive_cut(s->src, s->member, s->size - s->left);
	if (!n) /* the file became shorter meanwhile: its reader will tell */
		s->left = 0;
	*len = (size_t)n;
	s->pos += (uint64_t)n;
	s->left -= (uint64_t)n;
	return NULL;
}

static const struct stream_ops range_ops = {.fill = fill_range};

struct sm_error *sm_stream_new_range(const struct sm_source *src, const struct member *m,
	uint64_t offset, uint64_t size, char *path, struct sm_stream **stream)
{
	struct sm_error *err = sm_stream_new(&range_ops, path, stream);

	if (err)
		return err;
	(*stream)->src = src;
	(*stream)->member = m;
	(*stream)->pos = offset;
	(*stream)->left = (*stream)->size = size;
	return NULL;
}

/* Makes room behind `tail`. The buffer grows only when it is full of bytes that nobody took yet. */
static bool make_room(struct sm_stream *s)
{
	size_t cap;
	uint8_t *buf;

	if (s->head) {
		memmove(s->buf, s->buf + s->head, s->tail - s->head);
		s->tail -= s->head;
		s->head = 0;
	}
	if (s->tail < s->cap)
		return true;
	if (s->cap > SIZE_MAX / 2)
		return false;
	cap = s->cap ? s->cap * 2 : SOURCE_STREAM_BUF;
	buf = realloc(s->buf, cap);
	if (!buf)
		return false;
	s->buf = buf;
	s->cap = cap;
	return true;
}

struct sm_error *sm_stream_take(struct sm_stream *s, size_t want, const uint8_t **data, size_t *len)
{
	size_t have = s->tail - s->head;

	while (have < want && !s->ended) {
		size_t n;

		if (!make_room(s)) {
			*data = NULL;
			*len = 0;
			return sm_error_nomem();
		}
		s->pending = s->ops->fill(s, s->buf + s->tail, s->cap - s->tail, &n);
		if (s->pending || !n) {
			s->ended = s->pending || !s->goes_on;
			break;
		}
		s->tail += n;
		have = s->tail - s->head;
	}
	*len = have < want ? have : want;
	*data = s->buf ? s->buf + s->head : NULL;
	if (!have && want && s->pending) {
		struct sm_error *err = s->pending;

		s->pending = NULL;
		return err;
	}
	s->head += *len;
	s->offset += *len;
	return NULL;
}

uint64_t sm_stream_offset(const struct sm_stream *s)
{
	return s->offset;
}

uint64_t sm_stream_size(const struct sm_stream *s)
{
	return s->size;
}

bool sm_stream_goes_on(const struct sm_stream *s)
{
	return s->goes_on;
}

const char *sm_stream_path(const struct sm_stream *s)
{
	return s->path;
}

void sm_stream_free(struct sm_stream *s)
{
	if (!s)
		return;
	sm_error_free(s->pending);
	if (s->frames) {
		sm_frames_release(s->frames);
		free(s->frames);
	}
	sm_unpacker_free(s->unpacker);
	if (s->own_fd >= 0)
		close(s->own_fd);
	free(s->buf);
	free(s->path);
	free(s);
}
