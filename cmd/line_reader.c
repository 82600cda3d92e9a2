/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "line_reader.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#define ENOUGH ((size_t)1 << 20)
#define READ_SIZE ((size_t)1 << 16)

static bool is_ready(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, 0) != 0;
}

static struct sm_error *read_some(struct line_reader *r)
{
	ssize_t got;

	if (!sm_grow(&r->buf, &r->cap, r->len + READ_SIZE, 1))
		return sm_error_nomem();
	do
		got = read(r->fd, r->buf + r->len, READ_SIZE);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return sm_error_errno(errno, r->path, "cannot read", NULL);
	r->len += (size_t)got;
	r->ended = got == 0;
	return NULL;
}

/* Where what is whole ends. */
static size_t whole_lines(const struct line_reader *r)
{
	const char *nl = r->len ? memrchr(r->buf, '\n', r->len) : NULL;
	size_t n = nl ? (size_t)(nl - r->buf) + 1 : 0;

	if (r->ended)
		return r->len;
	if (n || r->len < ENOUGH)
		return n;
	/* Between two words, of which the second doesn't belong to the first. */
	for (n = r->len - 1; n > 0; n--) {
		if (r->buf[n - 1] == ' ' && r->buf[n] != '[' && r->buf[n] != ' ')
			return n;
	}
	return r->len;
}

struct sm_error *line_reader_next(struct line_reader *r, const char **text, size_t *len, bool *idle)
{
	struct sm_error *err = NULL;

	r->len -= r->taken;
	if (r->len)
		memmove(r->buf, r->buf + r->taken, r->len);
	r->taken = 0;
	while (!err && !r->ended && (!whole_lines(r) || (r->len < ENOUGH && is_ready(r->fd))))
		err = read_some(r);
	r->taken = err ? 0 : whole_lines(r);
	*text = r->buf;
	*len = r->taken;
	*idle = r->ended || !is_ready(r->fd);
	return err;
}

void line_reader_release(struct line_reader *r)
{
	free(r->buf);
	*r = (struct line_reader){.fd = -1};
}
