/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks that zstd or zlib compressed, decompressed as they are read from a file. A block says how
 * long its content is; that decides when to stop, never how much memory to take.
 */
#include "dat.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#define INPUT_BUF ((size_t)64 << 10)

struct unpacker {
	enum packing packing;
	int fd;
	const char *path;
	ZSTD_DCtx *zstd;
	z_stream zlib;
	bool has_zlib;
	uint64_t start;      /* of the block */
	uint64_t pos, left;  /* input that wasn't read yet */
	uint64_t size, done; /* of the content: claimed, given */
	bool ended;          /* the compressed data says so */
	size_t head, tail;   /* of the input that was read */
	uint8_t input[INPUT_BUF];
};

struct sm_error *sm_unpacker_new(
	enum packing packing, int fd, const char *path, struct unpacker **out)
{
	struct unpacker *u = calloc(1, sizeof(*u));

	if (!u)
		return sm_error_nomem();
	u->packing = packing;
	u->fd = fd;
	u->path = path;
	if (packing == PACKING_ZLIB)
		u->has_zlib = inflateInit(&u->zlib) == Z_OK;
	else
		u->zstd = ZSTD_createDCtx();
	if (!u->has_zlib && !u->zstd) {
		free(u);
		return sm_error_nomem();
	}
	*out = u;
	return NULL;
}

void sm_unpacker_free(struct unpacker *u)
{
	if (!u)
		return;
	if (u->has_zlib)
		inflateEnd(&u->zlib);
	ZSTD_freeDCtx(u->zstd);
	free(u);
}

static struct sm_error *fault(const struct unpacker *u, const char *why)
{
	return sm_error_at(SM_E_FORMAT, u->path, u->start, "damaged compressed data",
		"%s; %llu of its %llu bytes are sound", why, (unsigned long long)u->done,
		(unsigned long long)u->size);
}

struct sm_error *sm_unpacker_start(
	struct unpacker *u, uint64_t offset, uint64_t packed, uint64_t size)
{
	u->start = u->pos = offset;
	u->left = packed;
	u->size = size;
	u->done = 0;
	u->head = u->tail = 0;
	u->ended = false;
	if (u->has_zlib)
		return inflateReset(&u->zlib) == Z_OK ? NULL : sm_error_nomem();
	ZSTD_DCtx_reset(u->zstd, ZSTD_reset_session_only);
	return NULL;
}

/* More input, where all was used. At the block's end there is none. */
static struct sm_error *refill(struct unpacker *u)
{
	size_t want = u->left < INPUT_BUF ? (size_t)u->left : INPUT_BUF, got;

	if (u->head < u->tail || !want)
		return NULL;
	if (!sm_spool_pread(u->fd, u->input, want, u->pos, &got))
		return sm_error_errno(errno, u->path, "cannot read", NULL);
	if (!got)
		return sm_error_at(SM_E_TRUNCATED, u->path, u->pos, "compressed data cut short",
			"%llu more bytes belong to it", (unsigned long long)u->left);
	u->head = 0;
	u->tail = got;
	u->pos += got;
	u->left -= got;
	return NULL;
}

static struct sm_error *step_zstd(struct unpacker *u, ZSTD_outBuffer *out)
{
	ZSTD_inBuffer in = {.src = u->input, .size = u->tail, .pos = u->head};
	size_t rc = ZSTD_decompressStream(u->zstd, out, &in);

	u->head = in.pos;
	if (!ZSTD_isError(rc)) {
		u->ended = rc == 0;
		return NULL;
	}
	switch (ZSTD_getErrorCode(rc)) {
	case ZSTD_error_memory_allocation:
		return sm_error_nomem();
	case ZSTD_error_frameParameter_windowTooLarge:
		return fault(u, "its zstd window is larger than 128 MiB");
	default:
		return fault(u, ZSTD_getErrorName(rc));
	}
}

static struct sm_error *step_zlib(struct unpacker *u, ZSTD_outBuffer *out)
{
	size_t room = out->size - out->pos;
	int rc;

	u->zlib.next_in = u->input + u->head;
	u->zlib.avail_in = (uInt)(u->tail - u->head);
	u->zlib.next_out = (uint8_t *)out->dst + out->pos;
	u->zlib.avail_out = room > UINT_MAX ? UINT_MAX : (uInt)room;
	room = u->zlib.avail_out;
	rc = inflate(&u->zlib, Z_NO_FLUSH);
	u->head = u->tail - u->zlib.avail_in;
	out->pos += room - u->zlib.avail_out;
	switch (rc) {
	case Z_STREAM_END:
		u->ended = true;
		return NULL;
	case Z_OK:
	case Z_BUF_ERROR: /* wants input, or room */
		return NULL;
	case Z_MEM_ERROR:
		return sm_error_nomem();
	case Z_NEED_DICT:
		return fault(u, "it wants a dictionary");
	default:
		return fault(u, u->zlib.msg ? u->zlib.msg : "not zlib data");
	}
}

struct sm_error *sm_unpacker_read(struct unpacker *u, void *buf, size_t cap, size_t *len)
{
	uint8_t more;
	/* Once all is there that was claimed: does it really end? */
	bool check = u->done == u->size;
	ZSTD_outBuffer out = {.dst = check ? &more : buf, .size = check ? 1 : cap};
	struct sm_error *err = NULL;

	*len = 0;
	if (!check && out.size > u->size - u->done)
		out.size = (size_t)(u->size - u->done);
	while (!out.pos && !u->ended) {
		size_t before;

		err = refill(u);
		if (err)
			break;
		before = u->head;
		err = u->packing == PACKING_ZLIB ? step_zlib(u, &out) : step_zstd(u, &out);
		if (err)
			break;
		if (!out.pos && !u->ended && u->head == before) {
			err = fault(u, "it ends too early");
			break;
		}
	}
	/* What came before a fault is sound. */
	if (err && out.pos && !check) {
		sm_error_free(err);
		err = NULL;
	}
	if (err)
		return err;
	if (check && out.pos)
		return fault(u, "it is longer than it says");
	if (!check && !out.pos)
		return fault(u, "it is shorter than it says");
	if (!check) {
		u->done += out.pos;
		*len = out.pos;
	}
	return NULL;
}
