/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "internal.h"

#define HUGE_PAGE ((uintptr_t)2 << 20)
#define HUGE_MIN ((size_t)4 << 20)

void sm_huge_hint(void *p, size_t bytes)
{
	uintptr_t from = ((uintptr_t)p + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
	uintptr_t to = ((uintptr_t)p + bytes) & ~(HUGE_PAGE - 1);

	if (bytes >= HUGE_MIN && from < to)
		(void)madvise((void *)from, to - from, MADV_HUGEPAGE);
}

bool sm_grow(void *array, size_t *cap, size_t need, size_t size)
{
	size_t n = *cap, bytes;
	void *old, *p;

	if (need <= n)
		return true;
	n = n > SIZE_MAX / 2 ? need : 2 * n;
	if (n < need)
		n = need;
	if (n < 8)
		n = 8;
	if (__builtin_mul_overflow(n, size, &bytes) || bytes > PTRDIFF_MAX)
		return false;
	/* `array` is the address of a pointer to any type, hence the copies. */
	memcpy(&old, array, sizeof(old));
	p = realloc(old, bytes);
	if (!p)
		return false;
	sm_huge_hint(p, bytes);
	memcpy(array, &p, sizeof(p));
	*cap = n;
	return true;
}

void sm_buf_release(struct sm_buf *b)
{
	free(b->data);
	*b = (struct sm_buf){0};
}

void sm_buf_reset(struct sm_buf *b)
{
	b->len = 0;
	b->failed = false;
	if (b->data)
		b->data[0] = '\0';
}

/* Room for `len` bytes and a NUL behind what is there. */
static bool reserve(struct sm_buf *b, size_t len)
{
	size_t need;

	if (b->failed)
		return false;
	if (__builtin_add_overflow(b->len, len, &need) || __builtin_add_overflow(need, 1, &need) ||
		!sm_grow(&b->data, &b->cap, need, 1))
		b->failed = true;
	return !b->failed;
}

void sm_buf_add(struct sm_buf *b, const void *data, size_t len)
{
	if (!reserve(b, len))
		return;
	if (len)
		memcpy(b->data + b->len, data, len);
	b->len += len;
	b->data[b->len] = '\0';
}

void sm_buf_adds(struct sm_buf *b, const char *s)
{
	sm_buf_add(b, s, strlen(s));
}

void sm_buf_addc(struct sm_buf *b, char c)
{
	sm_buf_add(b, &c, 1);
}

void sm_buf_vaddf(struct sm_buf *b, const char *fmt, va_list ap)
{
	va_list copy;
	int n;

	va_copy(copy, ap);
	n = vsnprintf(NULL, 0, fmt, copy);
	va_end(copy);
	if (n < 0) {
		b->failed = true;
		return;
	}
	if (!reserve(b, (size_t)n))
		return;
	vsnprintf(b->data + b->len, (size_t)n + 1, fmt, ap);
	b->len += (size_t)n;
}

void sm_buf_addf(struct sm_buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	sm_buf_vaddf(b, fmt, ap);
	va_end(ap);
}

void sm_buf_add_visible(struct sm_buf *b, const char *s, size_t len)
{
	const uint8_t *p = (const uint8_t *)s, *end = p + len;
	char text[4];

	while (p < end) {
		size_t span = sm_visible_span(p, (size_t)(end - p));

		sm_buf_add(b, p, span);
		p += span;
		if (p == end)
			break;
		sm_hex_escape(*p++, text);
		sm_buf_add(b, text, sizeof(text));
	}
}
