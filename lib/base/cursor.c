/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <stdio.h>

#include <smtool/base.h>

struct sm_error *sm_cursor_short(const struct sm_cursor *c, const char *what, uint64_t need)
{
	char text[160];

	snprintf(text, sizeof(text), "%s cut short", what);
	return sm_error_at(SM_E_TRUNCATED, c->path, sm_cursor_offset(c), text,
		"needs %" PRIu64 " bytes, %zu left", need, sm_cursor_left(c));
}

struct sm_error *sm_cursor_bytes(
	struct sm_cursor *c, const char *what, size_t len, const uint8_t **p)
{
	if (sm_cursor_left(c) < len)
		return sm_cursor_short(c, what, len);
	*p = c->pos;
	c->pos += len;
	return NULL;
}

struct sm_error *sm_cursor_u8(struct sm_cursor *c, const char *what, uint8_t *v)
{
	if (sm_cursor_left(c) < sizeof(*v))
		return sm_cursor_short(c, what, sizeof(*v));
	*v = *c->pos++;
	return NULL;
}

struct sm_error *sm_cursor_u16(struct sm_cursor *c, const char *what, uint16_t *v)
{
	if (sm_cursor_left(c) < sizeof(*v))
		return sm_cursor_short(c, what, sizeof(*v));
	*v = sm_load16(c->pos, c->swap);
	c->pos += sizeof(*v);
	return NULL;
}

struct sm_error *sm_cursor_u32(struct sm_cursor *c, const char *what, uint32_t *v)
{
	if (sm_cursor_left(c) < sizeof(*v))
		return sm_cursor_short(c, what, sizeof(*v));
	*v = sm_load32(c->pos, c->swap);
	c->pos += sizeof(*v);
	return NULL;
}

struct sm_error *sm_cursor_u64(struct sm_cursor *c, const char *what, uint64_t *v)
{
	if (sm_cursor_left(c) < sizeof(*v))
		return sm_cursor_short(c, what, sizeof(*v));
	*v = sm_load64(c->pos, c->swap);
	c->pos += sizeof(*v);
	return NULL;
}
