/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading a trace.dat's metadata forwards, with bounds. */
#include "dat.h"

#include <errno.h>
#include <stdlib.h>

#define STRING_MAX 255

void sm_dat_reader_init(struct dat_reader *r, const struct dat *d, uint64_t pos, uint64_t end)
{
	*r = (struct dat_reader){.dat = d, .pos = pos};
	r->end = end < d->src->size ? end : d->src->size;
}

void sm_dat_reader_release(struct dat_reader *r)
{
	free(r->window);
	r->window = NULL;
}

struct sm_error *sm_dat_fault(
	const struct dat_reader *r, enum sm_code code, const char *what, const char *fmt, ...)
{
	struct sm_buf why = {0};
	struct sm_error *err;
	va_list ap;

	va_start(ap, fmt);
	sm_buf_vaddf(&why, fmt, ap);
	va_end(ap);
	if (r->data)
		sm_buf_addf(&why, " (byte %llu of a compressed section's content)",
			(unsigned long long)r->pos);
	err = sm_error_at(code, r->dat->src->path, r->data ? r->base : r->pos, what, "%s",
		why.data ? why.data : "");
	sm_buf_release(&why);
	return err;
}

static struct sm_error *cut_short(const struct dat_reader *r, const char *what, uint64_t need)
{
	return sm_dat_fault(r, SM_E_TRUNCATED, "trace.dat cut short",
		"%s: needs %llu bytes, %llu left", what, (unsigned long long)need,
		(unsigned long long)sm_dat_left(r));
}

/* Up to `len` bytes at r->pos. */
static struct sm_error *look(struct dat_reader *r, size_t len, const uint8_t **p, size_t *got)
{
	uint64_t left = sm_dat_left(r);

	if (len > left)
		len = (size_t)left;
	*got = len;
	if (r->data) {
		*p = r->data + r->pos;
		return NULL;
	}
	if (!r->window) {
		r->window = malloc(DAT_WINDOW);
		if (!r->window)
			return sm_error_nomem();
	}
	if (r->pos < r->window_at || r->pos - r->window_at > r->window_len ||
		r->window_len - (r->pos - r->window_at) < len) {
		size_t want = left < DAT_WINDOW ? (size_t)left : DAT_WINDOW;

		r->window_at = r->pos;
		if (!sm_spool_pread(r->dat->src->fd, r->window, want, r->pos, &r->window_len))
			return sm_error_errno(errno, r->dat->src->path, "cannot read", NULL);
		if (r->window_len < len)
			*got = r->window_len;
	}
	*p = r->window + (r->pos - r->window_at);
	return NULL;
}

struct sm_error *sm_dat_peek(struct dat_reader *r, size_t len, const uint8_t **p, size_t *got)
{
	return look(r, len < DAT_WINDOW ? len : DAT_WINDOW, p, got);
}

struct sm_error *sm_dat_take(struct dat_reader *r, const char *what, size_t len, const uint8_t **p)
{
	size_t got;
	struct sm_error *err = look(r, len, p, &got);

	if (err)
		return err;
	if (got < len)
		return cut_short(r, what, len);
	r->pos += len;
	return NULL;
}

struct sm_error *sm_dat_u16(struct dat_reader *r, const char *what, uint16_t *v)
{
	const uint8_t *p;
	struct sm_error *err = sm_dat_take(r, what, 2, &p);

	if (!err)
		*v = sm_load16(p, r->dat->swap);
	return err;
}

struct sm_error *sm_dat_u32(struct dat_reader *r, const char *what, uint32_t *v)
{
	const uint8_t *p;
	struct sm_error *err = sm_dat_take(r, what, 4, &p);

	if (!err)
		*v = sm_load32(p, r->dat->swap);
	return err;
}

struct sm_error *sm_dat_u64(struct dat_reader *r, const char *what, uint64_t *v)
{
	const uint8_t *p;
	struct sm_error *err = sm_dat_take(r, what, 8, &p);

	if (!err)
		*v = sm_load64(p, r->dat->swap);
	return err;
}

struct sm_error *sm_dat_skip(struct dat_reader *r, const char *what, uint64_t len)
{
	if (len > sm_dat_left(r))
		return cut_short(r, what, len);
	r->pos += len;
	return NULL;
}

struct sm_error *sm_dat_text(struct dat_reader *r, const char *what, uint64_t len, char **text)
{
	struct sm_arena *arena = &((struct dat *)r->dat)->arena;
	size_t at = 0;

	if (len > sm_dat_left(r))
		return cut_short(r, what, len);
	*text = sm_arena_alloc(arena, (size_t)len + 1);
	if (!*text)
		return sm_error_nomem();
	while (at < len) {
		size_t n = len - at < DAT_WINDOW ? (size_t)len - at : DAT_WINDOW;
		const uint8_t *p;
		struct sm_error *err = sm_dat_take(r, what, n, &p);

		if (err)
			return err;
		memcpy(*text + at, p, n);
		at += n;
	}
	(*text)[len] = '\0';
	return NULL;
}

struct sm_error *sm_dat_string(struct dat_reader *r, const char *what, char **text)
{
	const uint8_t *p, *nul;
	size_t got;
	struct sm_error *err = sm_dat_peek(r, STRING_MAX + 1, &p, &got);

	if (err)
		return err;
	nul = got ? memchr(p, '\0', got) : NULL;
	if (!nul && got <= STRING_MAX)
		return cut_short(r, what, got + 1);
	if (!nul)
		return sm_dat_fault(r, SM_E_FORMAT, what, "longer than %d bytes", STRING_MAX);
	return sm_dat_text(r, what, (uint64_t)(nul - p), text) ?: sm_dat_skip(r, what, 1);
}

struct sm_error *sm_dat_locate(
	struct dat_reader *r, const char *what, uint64_t len, struct dat_place *place)
{
	if (r->data)
		*place = (struct dat_place){.store = DAT_MEMORY, .data = r->data + r->pos};
	else
		*place = (struct dat_place){.store = DAT_FILE, .offset = r->pos};
	return sm_dat_skip(r, what, len);
}
