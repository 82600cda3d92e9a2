/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The members of a trace.dat as streams and blobs. */
#include "dat.h"

#include <errno.h>
#include <stdlib.h>

#define CHUNK_HEADER 8
/* Before the chunks stands their number; trace-cmd doesn't count that as theirs. */
#define CHUNKS_SLACK 4

static struct sm_error *fill_memory(struct sm_stream *s, uint8_t *buf, size_t cap, size_t *len)
{
	*len = cap < s->left ? cap : (size_t)s->left;
	memcpy(buf, s->place->data + s->pos, *len);
	s->pos += *len;
	s->left -= *len;
	return NULL;
}

static const struct stream_ops memory_ops = {.fill = fill_memory};

/* A part of what one compressed block holds. */
static struct sm_error *fill_block(struct sm_stream *s, uint8_t *buf, size_t cap, size_t *len)
{
	struct sm_error *err = NULL;

	*len = 0;
	if (!s->left)
		return NULL;
	while (!err && s->skip) {
		err = sm_unpacker_read(
			s->unpacker, buf, cap < s->skip ? cap : (size_t)s->skip, len);
		s->skip -= *len;
		if (!err && !*len)
			return sm_archive_cut(s->src, s->member, 0);
	}
	*len = 0;
	if (!err)
		err = sm_unpacker_read(
			s->unpacker, buf, cap < s->left ? cap : (size_t)s->left, len);
	if (!err && !*len)
		err = sm_archive_cut(s->src, s->member, s->size - s->left);
	s->left -= *len;
	return err;
}

static const struct stream_ops block_ops = {.fill = fill_block};

static struct sm_error *read_at(struct sm_stream *s, uint8_t *buf, size_t want)
{
	size_t got;

	if (!sm_spool_pread(s->src->fd, buf, want, s->pos, &got))
		return sm_error_errno(errno, s->src->path, "cannot read", NULL);
	if (got < want)
		return sm_error_at(SM_E_TRUNCATED, s->src->path, s->pos + got,
			"compressed pages cut short", "%llu more bytes belong to '%s'",
			(unsigned long long)(s->left - got), s->member->name);
	s->pos += want;
	s->left -= want;
	return NULL;
}

/* The next chunk. How many there are is no help (a big-endian trace-cmd writes 0), but for excusing
 * bytes behind the last; how many bytes they have is. */
static struct sm_error *next_chunk(struct sm_stream *s, bool *ended)
{
	uint8_t head[CHUNK_HEADER];
	bool swap = s->src->dat->swap;
	uint64_t at = s->pos;
	uint32_t packed, size;
	struct sm_error *err;

	*ended = s->left <= CHUNKS_SLACK || (s->left < CHUNK_HEADER && !s->blocks);
	if (*ended)
		return NULL;
	if (s->left < CHUNK_HEADER)
		return sm_error_at(SM_E_FORMAT, s->src->path, at, "damaged compressed pages",
			"%u chunks don't fit in what '%s' has", s->blocks, s->member->name);
	err = read_at(s, head, sizeof(head));
	if (err)
		return err;
	packed = sm_load32(head, swap);
	size = sm_load32(head + 4, swap);
	if (!packed || !size || packed > s->left) {
		*ended = !s->blocks;
		if (*ended)
			return NULL;
		return sm_error_at(SM_E_FORMAT, s->src->path, at, "damaged compressed pages",
			"a chunk of %u bytes where '%s' has %llu left", packed, s->member->name,
			(unsigned long long)s->left);
	}
	err = sm_unpacker_start(s->unpacker, s->pos, packed, size);
	s->pos += packed;
	s->left -= packed;
	s->blocks -= s->blocks > 0;
	s->inside = true;
	return err;
}

static struct sm_error *fill_chunks(struct sm_stream *s, uint8_t *buf, size_t cap, size_t *len)
{
	struct sm_error *err = NULL;
	bool ended = false;

	*len = 0;
	if (!s->skip) {
		uint8_t count[4];

		s->skip = 1; /* the number is read once */
		if (s->left < sizeof(count))
			return NULL;
		err = read_at(s, count, sizeof(count));
		if (!err)
			s->blocks = sm_load32(count, s->src->dat->swap);
	}
	while (!err && !*len && !ended) {
		if (!s->inside) {
			err = next_chunk(s, &ended);
			continue;
		}
		err = sm_unpacker_read(s->unpacker, buf, cap, len);
		s->inside = err || *len;
	}
	return err;
}

static const struct stream_ops chunks_ops = {.fill = fill_chunks};

static struct sm_error *new_unpacked(const struct sm_source *src, const struct member *m,
	const struct dat_place *place, char *path, struct sm_stream **stream)
{
	bool block = place->store == DAT_BLOCK;
	struct sm_stream *s;
	struct sm_error *err = sm_stream_new(block ? &block_ops : &chunks_ops, path, &s);

	if (err)
		return err;
	s->src = src;
	s->member = m;
	s->place = place;
	s->size = m->size;
	s->pos = place->offset;
	s->left = block ? m->size : place->packed + CHUNKS_SLACK;
	s->skip = block ? place->skip : 0;
	err = sm_unpacker_new(src->dat->packing, src->fd, src->path, &s->unpacker);
	if (!err && block)
		err = sm_unpacker_start(s->unpacker, place->offset, place->packed, place->unpack);
	if (err)
		sm_stream_free(s);
	else
		*stream = s;
	return err;
}

static struct sm_error *new_stream(
	const struct sm_source *src, const struct member *m, struct sm_stream **stream)
{
	const struct dat_place *place = &src->dat->places[m->offset];
	char *path = sm_archive_member_path(src, m->name);
	struct sm_error *err;

	switch (place->store) {
	case DAT_FILE:
		return sm_stream_new_range(src, m, place->offset, m->size, path, stream);
	case DAT_MEMORY:
		err = sm_stream_new(&memory_ops, path, stream);
		if (err)
			return err;
		(*stream)->place = place;
		(*stream)->size = (*stream)->left = m->size;
		return NULL;
	case DAT_BLOCK:
	case DAT_CHUNKS:
		break;
	}
	return new_unpacked(src, m, place, path, stream);
}

static struct sm_error *stream_member(
	const struct sm_source *src, const char *name, struct sm_stream **stream)
{
	const struct member *m = sm_members_find(&src->members, name);

	return m ? new_stream(src, m, stream) : sm_archive_missing(src, name);
}

static struct sm_error *read_member(
	const struct sm_source *src, const char *name, uint64_t max, struct sm_blob *blob)
{
	struct sm_stream *s;
	struct sm_error *err = stream_member(src, name, &s);

	if (!err && max && s->size > max) {
		err = sm_blob_too_large(s->path, max);
		sm_stream_free(s);
		return err;
	}
	return err ? err : sm_blob_read_stream(s, max, blob);
}

const struct source_ops sm_dat_ops = {
	.has = sm_archive_has,
	.list = sm_archive_list,
	.read = read_member,
	.stream = stream_member,
};
