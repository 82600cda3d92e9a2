/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Zstd frames: compressed one at a time, and decompressed from memory one block at a time, so that
 * a fault loses nothing of the blocks before it. What a frame claims its content to be is a claim.
 */
#include "internal.h"

#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#define NO_CLAIM UINT64_MAX
#define FIRST_HINT 5 /* bytes that decide how long a frame's header is */
#define FLUSH_ROOM 512

struct sm_error *sm_frames_init(
	struct frames *z, const void *data, size_t size, size_t off, const char *path)
{
	*z = (struct frames){.data = data, .size = size, .off = off, .path = path};
	z->dctx = ZSTD_createDCtx();
	return z->dctx ? NULL : sm_error_nomem();
}

void sm_frames_release(struct frames *z)
{
	ZSTD_freeDCtx(z->dctx);
	z->dctx = NULL;
}

static struct sm_error *fault(const struct frames *z, const char *why)
{
	return sm_error_at(SM_E_FORMAT, z->path, z->frame, "damaged zstd frame", "%s", why);
}

static struct sm_error *zstd_fault(const struct frames *z, size_t rc)
{
	switch (ZSTD_getErrorCode(rc)) {
	case ZSTD_error_memory_allocation:
		return sm_error_nomem();
	case ZSTD_error_frameParameter_windowTooLarge:
		return sm_error_at(SM_E_UNSUPPORTED, z->path, z->frame,
			"zstd frame with a window of more than 128 MiB",
			"decompress it first: zstd -d --long=31");
	default:
		return fault(z, ZSTD_getErrorName(rc));
	}
}

bool sm_frames_peek(const struct frames *z, size_t *frame_size, uint64_t *content_size)
{
	const uint8_t *p = z->data + z->off;
	size_t size = ZSTD_findFrameCompressedSize(p, z->size - z->off);
	unsigned long long content = ZSTD_getFrameContentSize(p, z->size - z->off);

	if (ZSTD_isError(size) || content == ZSTD_CONTENTSIZE_ERROR ||
		content == ZSTD_CONTENTSIZE_UNKNOWN)
		return false;
	*frame_size = size;
	*content_size = content;
	return true;
}

/* A whole frame at once, where it fits; *len = 0 without an error: to be done block by block, so as
 * to have the blocks before a fault. */
static struct sm_error *read_whole(struct frames *z, void *buf, size_t cap, size_t *len)
{
	size_t frame_size, rc;
	uint64_t content;

	if (!z->claim || z->claim > cap || !sm_frames_peek(z, &frame_size, &content))
		return NULL;
	rc = ZSTD_decompressDCtx(z->dctx, buf, cap, z->data + z->off, frame_size);
	/* Which of its blocks is wrong, nobody knows. */
	if (ZSTD_getErrorCode(rc) == ZSTD_error_checksum_wrong)
		return zstd_fault(z, rc);
	if (ZSTD_isError(rc) || rc != content)
		return NULL;
	z->off += frame_size;
	z->frame_out = *len = rc;
	return NULL;
}

static void begin_frame(struct frames *z)
{
	unsigned long long claim;

	z->frame = z->off;
	z->frame_out = 0;
	claim = ZSTD_getFrameContentSize(z->data + z->off, z->size - z->off);
	z->claim = claim == ZSTD_CONTENTSIZE_ERROR || claim == ZSTD_CONTENTSIZE_UNKNOWN ? NO_CLAIM
											: claim;
}

/* One block, or what the decoder still holds of one. Leaves the frame at its end. */
static struct sm_error *step(struct frames *z, void *buf, size_t cap, size_t *len)
{
	ZSTD_outBuffer out = {.dst = buf, .size = cap};
	ZSTD_inBuffer in = {.src = z->data, .size = z->size, .pos = z->off};
	size_t rc;

	if (z->flush)
		in.size = z->off;
	else if (z->hint < z->size - z->off)
		in.size = z->off + z->hint;
	rc = ZSTD_decompressStream(z->dctx, &out, &in);
	if (ZSTD_isError(rc))
		return zstd_fault(z, rc);
	if (!out.pos && in.pos == z->off && !z->flush && z->off == z->size)
		return sm_error_at(SM_E_TRUNCATED, z->path, z->size, "archive cut short",
			"it ends inside a zstd frame; what comes before is sound");
	z->flush = out.pos == cap;
	z->off = in.pos;
	z->hint = rc;
	z->frame_out += out.pos;
	*len = out.pos;
	z->inside = rc != 0;
	if (z->claim != NO_CLAIM &&
		(z->frame_out > z->claim || (!z->inside && z->frame_out != z->claim))) {
		*len = 0;
		return fault(z, "its content isn't as long as it claims");
	}
	return NULL;
}

bool sm_frames_end(const struct frames *z)
{
	return !z->inside && z->off == z->size;
}

struct sm_error *sm_frames_read(struct frames *z, void *buf, size_t cap, size_t *len)
{
	struct sm_error *err = NULL;

	*len = 0;
	if (!z->inside) {
		if (z->off == z->size)
			return NULL;
		begin_frame(z);
		err = read_whole(z, buf, cap, len);
		if (err || *len)
			return err;
		ZSTD_DCtx_reset(z->dctx, ZSTD_reset_session_only);
		z->inside = true;
		z->flush = false;
		z->hint = FIRST_HINT;
	}
	while (z->inside && !*len && !err)
		err = step(z, buf, cap, len);
	return err;
}

struct sm_error *sm_frames_close(struct frames *z)
{
	uint8_t rest[FLUSH_ROOM];
	struct sm_error *err = NULL;
	size_t len;

	if (z->frame_out != z->claim)
		return NULL;
	while (z->inside && !err)
		err = step(z, rest, sizeof(rest), &len);
	return err;
}

struct sm_error *sm_frame_compress(
	void **cctx, int level, const void *data, size_t len, struct sm_buf *out)
{
	size_t bound = ZSTD_compressBound(len), rc;

	if (!*cctx) {
		*cctx = ZSTD_createCCtx();
		if (!*cctx)
			return sm_error_nomem();
		ZSTD_CCtx_setParameter(*cctx, ZSTD_c_checksumFlag, 1);
	}
	if (ZSTD_isError(bound) || bound >= SIZE_MAX - out->len ||
		!sm_grow(&out->data, &out->cap, out->len + bound + 1, 1))
		return sm_error_nomem();
	ZSTD_CCtx_setParameter(*cctx, ZSTD_c_compressionLevel, level);
	rc = ZSTD_compress2(*cctx, out->data + out->len, bound, data, len);
	if (ZSTD_isError(rc))
		return sm_error_new(
			SM_E_OTHER, NULL, "cannot compress", "%s", ZSTD_getErrorName(rc));
	out->len += rc;
	out->data[out->len] = '\0';
	return NULL;
}

void sm_frame_release(void **cctx)
{
	ZSTD_freeCCtx(*cctx);
	*cctx = NULL;
}
