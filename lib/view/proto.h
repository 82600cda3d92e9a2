/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Protocol buffers, as much as a profile needs: what has its default value is left out. */
#ifndef SM_VIEW_PROTO_H
#define SM_VIEW_PROTO_H

#include <smtool/base.h>

enum { PROTO_VARINT = 0, PROTO_BYTES = 2 };

static inline void proto_varint(struct sm_buf *b, uint64_t v)
{
	char text[10];
	size_t n = 0;

	while (v >= 0x80) {
		text[n++] = (char)(v | 0x80);
		v >>= 7;
	}
	text[n++] = (char)v;
	sm_buf_add(b, text, n);
}

static inline void proto_u64(struct sm_buf *b, unsigned field, uint64_t v)
{
	if (!v)
		return;
	proto_varint(b, field << 3 | PROTO_VARINT);
	proto_varint(b, v);
}

static inline void proto_i64(struct sm_buf *b, unsigned field, int64_t v)
{
	proto_u64(b, field, (uint64_t)v);
}

/* Also a message, or numbers that are packed; never left out. */
static inline void proto_bytes(struct sm_buf *b, unsigned field, const void *data, size_t len)
{
	proto_varint(b, field << 3 | PROTO_BYTES);
	proto_varint(b, len);
	sm_buf_add(b, data, len);
}

#endif
