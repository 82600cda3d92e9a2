/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that are compressed as a whole, as modules are installed: .ko.xz, .ko.gz, .ko.zst. */
#include "object_file.h"

#include <lzma.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#define GROW_LEAST ((uint64_t)256 << 10)
/* What xz -9 needs is 65 MiB. */
#define XZ_MEMORY ((uint64_t)256 << 20)

struct unwrapping {
	const char *path;
	const uint8_t *in;
	size_t in_len, in_pos;
	uint8_t *out;
	size_t out_len, cap;
};

enum wrapper sm_wrapper_detect(const void *data, size_t len)
{
	static const struct {
		const char *magic;
		size_t len;
		enum wrapper kind;
	} known[] = {
		{"\xfd"
		 "7zXZ",
			6, WRAPPER_XZ},
		{"\x1f\x8b", 2, WRAPPER_GZIP},
		{"\x28\xb5\x2f\xfd", 4, WRAPPER_ZSTD},
	};

	for (size_t i = 0; i < SM_ARRAY_SIZE(known); i++) {
		if (len >= known[i].len && memcmp(data, known[i].magic, known[i].len) == 0)
			return known[i].kind;
	}
	return WRAPPER_NONE;
}

static struct sm_error *fault(const struct unwrapping *u, const char *what, const char *why)
{
	return sm_error_at(SM_E_FORMAT, u->path, u->in_pos, what, "%s", why);
}

static struct sm_error *cut_short(const struct unwrapping *u)
{
	return sm_error_at(SM_E_TRUNCATED, u->path, u->in_len, "compressed file cut short",
		"%zu bytes came out", u->out_len);
}

/* Room for more output. */
static struct sm_error *grow(struct unwrapping *u)
{
	uint64_t limit = sm_unpack_limit(u->in_len), cap = (uint64_t)u->cap * 2;
	uint8_t *out;

	if (u->out_len < u->cap)
		return NULL;
	if (cap < GROW_LEAST)
		cap = GROW_LEAST;
	if (cap > limit)
		cap = limit;
	if (cap == u->cap)
		return sm_error_at(SM_E_FORMAT, u->path, u->in_pos, "decompresses to too much",
			"over %zu bytes of %zu", u->cap, u->in_len);
	out = cap > SIZE_MAX ? NULL : realloc(u->out, (size_t)cap);
	if (!out)
		return sm_error_nomem();
	sm_huge_hint(out, (size_t)cap);
	u->out = out;
	u->cap = (size_t)cap;
	return NULL;
}

static struct sm_error *xz_fault(const struct unwrapping *u, lzma_ret ret)
{
	switch (ret) {
	case LZMA_MEM_ERROR:
		return sm_error_nomem();
	case LZMA_MEMLIMIT_ERROR:
		return fault(u, "xz data asks for too much memory", "more than 256 MiB");
	case LZMA_OPTIONS_ERROR:
		return sm_error_at(SM_E_UNSUPPORTED, u->path, u->in_pos, "xz data",
			"with options that liblzma doesn't know");
	case LZMA_BUF_ERROR:
		return cut_short(u);
	default:
		return fault(u, "damaged xz data", "decompress it with xz -d to see more");
	}
}

static struct sm_error *unpack_xz(struct unwrapping *u)
{
	lzma_stream z = LZMA_STREAM_INIT;
	lzma_ret ret = lzma_stream_decoder(&z, XZ_MEMORY, LZMA_CONCATENATED);
	struct sm_error *err = NULL;

	if (ret != LZMA_OK)
		return sm_error_nomem();
	z.next_in = u->in;
	z.avail_in = u->in_len;
	while (ret != LZMA_STREAM_END && !err) {
		err = grow(u);
		if (err)
			break;
		z.next_out = u->out + u->out_len;
		z.avail_out = u->cap - u->out_len;
		ret = lzma_code(&z, LZMA_FINISH);
		u->out_len = u->cap - z.avail_out;
		u->in_pos = u->in_len - z.avail_in;
		if (ret != LZMA_OK && ret != LZMA_STREAM_END)
			err = xz_fault(u, ret);
	}
	lzma_end(&z);
	return err;
}

static uInt chunk(size_t left)
{
	return left > INT32_MAX ? INT32_MAX : (uInt)left;
}

static struct sm_error *unpack_gzip(struct unwrapping *u)
{
	struct sm_error *err = NULL;
	z_stream z = {0};
	/* 16: gzip's header and sum */
	int ret = inflateInit2(&z, 16 + MAX_WBITS);

	if (ret != Z_OK)
		return sm_error_nomem();
	while (!err) {
		uInt in, out;

		err = grow(u);
		if (err)
			break;
		z.next_in = (Bytef *)(uintptr_t)(u->in + u->in_pos);
		z.avail_in = in = chunk(u->in_len - u->in_pos);
		z.next_out = u->out + u->out_len;
		z.avail_out = out = chunk(u->cap - u->out_len);
		ret = inflate(&z, Z_NO_FLUSH);
		u->in_pos += in - z.avail_in;
		u->out_len += out - z.avail_out;
		if (ret == Z_STREAM_END) {
			/* Another member may follow; else what does is ignored, as gzip does. */
			if (u->in_len - u->in_pos < 2 ||
				memcmp(u->in + u->in_pos, "\x1f\x8b", 2) != 0)
				break;
			inflateReset(&z);
		} else if (ret == Z_MEM_ERROR) {
			err = sm_error_nomem();
		} else if (ret != Z_OK && ret != Z_BUF_ERROR) {
			err = fault(u, "damaged gzip data", z.msg ? z.msg : "no gzip header");
		} else if (u->in_pos == u->in_len && out == z.avail_out) {
			err = cut_short(u);
		}
	}
	inflateEnd(&z);
	return err;
}

static struct sm_error *unpack_zstd(struct unwrapping *u)
{
	ZSTD_inBuffer in = {u->in, u->in_len, 0};
	ZSTD_DCtx *z = ZSTD_createDCtx();
	struct sm_error *err = z ? NULL : sm_error_nomem();
	size_t ret = 1;

	while (!err && (in.pos < in.size || ret != 0)) {
		ZSTD_outBuffer out;

		err = grow(u);
		if (err)
			break;
		out = (ZSTD_outBuffer){u->out, u->cap, u->out_len};
		ret = ZSTD_decompressStream(z, &out, &in);
		if (ZSTD_isError(ret))
			err = fault(u, "damaged zstd data", ZSTD_getErrorName(ret));
		else if (in.pos == in.size && out.pos == u->out_len && ret != 0)
			err = cut_short(u);
		u->in_pos = in.pos;
		u->out_len = out.pos;
	}
	ZSTD_freeDCtx(z);
	return err;
}

struct sm_error *sm_wrapper_unpack(enum wrapper kind, const char *path, const void *data,
	size_t len, uint8_t **out, size_t *out_len)
{
	struct unwrapping u = {.path = path, .in = data, .in_len = len};
	struct sm_error *err = NULL;

	switch (kind) {
	case WRAPPER_XZ:
		err = unpack_xz(&u);
		break;
	case WRAPPER_GZIP:
		err = unpack_gzip(&u);
		break;
	case WRAPPER_ZSTD:
		err = unpack_zstd(&u);
		break;
	case WRAPPER_NONE:
		err = fault(&u, "not a compressed file", "want xz, gzip or zstd");
		break;
	}
	if (err) {
		free(u.out);
		return err;
	}
	*out = u.out;
	*out_len = u.out_len;
	return NULL;
}
