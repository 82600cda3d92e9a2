/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "internal.h"

#define OUT_SIZE ((size_t)64 << 10)

static struct sm_error *init(struct sm_out *o, int fd, struct sm_buf *sink, const char *path)
{
	*o = (struct sm_out){.fd = fd, .sink = sink, .path = path, .cap = OUT_SIZE};
	o->buf = malloc(OUT_SIZE);
	if (o->buf)
		return NULL;
	o->cap = 0;
	o->errnum = ENOMEM;
	return sm_error_nomem();
}

struct sm_error *sm_out_init_fd(struct sm_out *o, int fd, const char *path)
{
	return init(o, fd, NULL, path);
}

struct sm_error *sm_out_init_buf(struct sm_out *o, struct sm_buf *sink)
{
	return init(o, -1, sink, NULL);
}

/* Past the first error everything is dropped. */
static void put(struct sm_out *o, const char *data, size_t len)
{
	if (o->errnum)
		return;
	if (o->sink) {
		sm_buf_add(o->sink, data, len);
		if (o->sink->failed)
			o->errnum = ENOMEM;
		else
			o->written += len;
		return;
	}
	while (len) {
		ssize_t n = write(o->fd, data, len);

		if (n >= 0) {
			data += n;
			len -= (size_t)n;
			o->written += (uint64_t)n;
		} else if (errno == EAGAIN) {
			/* Somebody else made the terminal or pipe that we share non-blocking. */
			struct pollfd pfd = {.fd = o->fd, .events = POLLOUT};

			poll(&pfd, 1, -1);
		} else if (errno != EINTR) {
			o->errnum = errno;
			return;
		}
	}
}

static void drain(struct sm_out *o)
{
	put(o, o->buf, o->len);
	o->len = 0;
}

struct sm_error *sm_out_flush(struct sm_out *o)
{
	drain(o);
	if (!o->errnum)
		return NULL;
	return sm_error_errno(o->errnum, o->path, "can't write", NULL);
}

struct sm_error *sm_out_finish(struct sm_out *o)
{
	struct sm_error *err = sm_out_flush(o);

	free(o->buf);
	o->buf = NULL;
	o->cap = 0;
	return err;
}

/* Room for `n` bytes, far fewer than the buffer's size; NULL past an error. */
static inline char *room(struct sm_out *o, size_t n)
{
	if (o->cap - o->len < n) {
		drain(o);
		if (o->cap < n)
			return NULL;
	}
	return o->buf + o->len;
}

void sm_out_bytes(struct sm_out *o, const void *data, size_t len)
{
	if (len > o->cap - o->len) {
		drain(o);
		if (len >= o->cap) {
			put(o, data, len);
			return;
		}
	}
	if (len)
		memcpy(o->buf + o->len, data, len);
	o->len += len;
}

void sm_out_str(struct sm_out *o, const char *s)
{
	sm_out_bytes(o, s, strlen(s));
}

void sm_out_char(struct sm_out *o, char c)
{
	char *p = room(o, 1);

	if (!p)
		return;
	*p = c;
	o->len++;
}

void sm_out_pad(struct sm_out *o, char c, size_t n)
{
	while (n && !o->errnum) {
		size_t part = n < 256 ? n : 256;
		char *p = room(o, part);

		if (!p)
			return;
		memset(p, c, part);
		o->len += part;
		n -= part;
	}
}

size_t sm_u64_digits(uint64_t v, char text[SM_U64_DIGITS])
{
	static const char pairs[] = "0001020304050607080910111213141516171819"
				    "2021222324252627282930313233343536373839"
				    "4041424344454647484950515253545556575859"
				    "6061626364656667686970717273747576777879"
				    "8081828384858687888990919293949596979899";
	size_t i = SM_U64_DIGITS;

	while (v >= 100) {
		i -= 2;
		memcpy(text + i, pairs + 2 * (v % 100), 2);
		v /= 100;
	}
	if (v >= 10) {
		i -= 2;
		memcpy(text + i, pairs + 2 * v, 2);
	} else {
		text[--i] = (char)('0' + v);
	}
	return i;
}

/* The eight hexadecimal digits of `v`, as they lie in memory. */
static inline uint64_t hex_word(uint32_t v)
{
	uint64_t x = v;

	/* A nibble to each byte, then all bytes to digits at once: from 10 on, 'a' is 39 further.
	 */
	x = (x << 16 | x) & UINT64_C(0x0000ffff0000ffff);
	x = (x << 8 | x) & UINT64_C(0x00ff00ff00ff00ff);
	x = (x << 4 | x) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	x += UINT64_C(0x3030303030303030) +
	     ((x + UINT64_C(0x0606060606060606)) >> 4 & UINT64_C(0x0101010101010101)) * 39;
	return sm_host_big_endian() ? x : __builtin_bswap64(x);
}

size_t sm_u64_hex(uint64_t v, char text[SM_U64_HEX])
{
	size_t n = v ? (67 - (size_t)__builtin_clzll(v)) / 4 : 1;
	uint64_t digits[2] = {hex_word((uint32_t)(v >> 32)), hex_word((uint32_t)v)};

	text[0] = '0';
	text[1] = 'x';
	if (n == 16)
		memcpy(text + 2, digits, 16);
	else
		memcpy(text + 2, (const char *)digits + 16 - n, n);
	return n + 2;
}

void sm_out_u64(struct sm_out *o, uint64_t v)
{
	char text[SM_U64_DIGITS];
	size_t start = sm_u64_digits(v, text);

	sm_out_bytes(o, text + start, sizeof(text) - start);
}

void sm_out_i64(struct sm_out *o, int64_t v)
{
	if (v < 0)
		sm_out_char(o, '-');
	sm_out_u64(o, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

void sm_out_hex(struct sm_out *o, uint64_t v)
{
	char *p = room(o, SM_U64_HEX);

	if (p)
		o->len += sm_u64_hex(v, p);
}

void sm_out_f(struct sm_out *o, const char *fmt, ...)
{
	struct sm_buf b = {0};
	char text[256];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n < sizeof(text)) {
		sm_out_bytes(o, text, (size_t)n);
		return;
	}
	va_start(ap, fmt);
	sm_buf_vaddf(&b, fmt, ap);
	va_end(ap);
	if (b.failed && !o->errnum)
		o->errnum = ENOMEM;
	sm_out_bytes(o, b.data, b.len);
	sm_buf_release(&b);
}

void sm_out_visible(struct sm_out *o, const char *s, size_t len)
{
	const uint8_t *p = (const uint8_t *)s, *end = p + len;
	char text[4];

	while (p < end) {
		size_t span = sm_visible_span(p, (size_t)(end - p));

		sm_out_bytes(o, p, span);
		p += span;
		if (p == end)
			break;
		sm_hex_escape(*p++, text);
		sm_out_bytes(o, text, sizeof(text));
	}
}

void sm_out_xml(struct sm_out *o, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		switch (s[i]) {
		case '<':
			sm_out_str(o, "&lt;");
			break;
		case '>':
			sm_out_str(o, "&gt;");
			break;
		case '&':
			sm_out_str(o, "&amp;");
			break;
		case '"':
			sm_out_str(o, "&quot;");
			break;
		case '\xef':
			/* U+FFFE and U+FFFF: not even as references. */
			if (i + 2 < len && s[i + 1] == '\xbf' &&
				(s[i + 2] == '\xbe' || s[i + 2] == '\xbf')) {
				sm_out_str(o, "?");
				i += 2;
				break;
			}
			/* fallthrough */
		default:
			sm_out_char(o, s[i]);
		}
	}
}

void sm_out_csv(struct sm_out *o, const char *s, size_t len)
{
	/* Line ends never come through, so that these are all that RFC 4180 wants quoted; spaces at
	 * an end are lost by some readers. */
	if (!memchr(s, ',', len) && !memchr(s, '"', len) &&
		!(len && (s[0] == ' ' || s[len - 1] == ' '))) {
		sm_out_visible(o, s, len);
		return;
	}
	sm_out_char(o, '"');
	for (;;) {
		const char *quote = memchr(s, '"', len);
		size_t part = quote ? (size_t)(quote - s) : len;

		sm_out_visible(o, s, part);
		if (!quote)
			break;
		sm_out_str(o, "\"\"");
		s += part + 1;
		len -= part + 1;
	}
	sm_out_char(o, '"');
}
