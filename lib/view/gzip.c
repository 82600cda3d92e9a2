/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output through zlib, with no time in the header: the same input gives the same file. */
#include <errno.h>

#include "export.h"

#define LEVEL 4             /* above it time doubles for a few percent */
#define ENOUGH (256 * 1024) /* bytes that are worth a call */

struct sm_error *gzip_begin(struct gzip *g, struct sm_out *out)
{
	*g = (struct gzip){.out = out};
	if (deflateInit2(&g->z, LEVEL, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK)
		return sm_error_nomem();
	return sm_out_init_buf(&g->plain, &g->sink);
}

static void compress_sink(struct gzip *g, int flush)
{
	unsigned char packed[64 * 1024];
	size_t done = 0;
	int rc;

	do {
		size_t part = g->sink.len - done;

		/* avail_in has 32 bits. */
		if (part > 1 << 30)
			part = 1 << 30;
		g->z.next_in = (unsigned char *)g->sink.data + done;
		g->z.avail_in = (uInt)part;
		g->z.next_out = packed;
		g->z.avail_out = sizeof(packed);
		rc = deflate(&g->z, flush);
		done += part - g->z.avail_in;
		sm_out_bytes(g->out, packed, sizeof(packed) - g->z.avail_out);
	} while (rc == Z_OK && (done < g->sink.len || !g->z.avail_out || flush == Z_FINISH));
	sm_buf_reset(&g->sink);
}

void gzip_drain(struct gzip *g)
{
	if (g->sink.len >= ENOUGH)
		compress_sink(g, Z_NO_FLUSH);
}

struct sm_error *gzip_finish(struct gzip *g)
{
	struct sm_error *err = g->plain.buf ? sm_out_finish(&g->plain) : NULL;

	if (!err && g->sink.failed)
		err = sm_error_nomem();
	if (!err)
		compress_sink(g, Z_FINISH);
	deflateEnd(&g->z);
	sm_buf_release(&g->sink);
	return err;
}
