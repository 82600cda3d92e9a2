/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paths of source files: joined from what a line table has, and normalised. */
#include "dwarf_line.h"

/* In place; returns the new length. Takes out "//", "/./" and "x/../"; at the top of a relative
 * path
 * ".." stays. The build's symbolic links are unknown here, so "x/.." is taken as the compiler
 * driver's users write it. */
static size_t normalise(char *s, size_t len)
{
	bool absolute = len && s[0] == '/';
	size_t top = absolute; /* what ".." can't take away */
	size_t out = top;

	for (size_t i = 0; i < len;) {
		size_t from, n;

		while (i < len && s[i] == '/')
			i++;
		for (from = i; i < len && s[i] != '/'; i++)
			;
		n = i - from;
		if (n == 0 || (n == 1 && s[from] == '.'))
			continue;
		if (n == 2 && s[from] == '.' && s[from + 1] == '.') {
			if (out > top) {
				while (out > top && s[out - 1] != '/')
					out--;
				if (out > top)
					out--;
				continue;
			}
			if (absolute)
				continue; /* above the root is the root */
		}
		if (out && s[out - 1] != '/')
			s[out++] = '/';
		memmove(s + out, s + from, n);
		out += n;
		if (n == 2 && s[out - 2] == '.' && s[out - 1] == '.')
			top = out;
	}
	return out;
}

/* Cuts off a directory, which ends in '/', in front. */
static bool make_relative(struct sm_buf *buf, size_t start, const char *top)
{
	size_t len = strlen(top);

	if (!len || buf->len - start <= len || memcmp(buf->data + start, top, len) != 0)
		return false;
	memmove(buf->data + start, buf->data + start + len, buf->len - start - len);
	buf->len -= len;
	return true;
}

void sm_line_path_join(const struct line_path *path, struct dwarf *dwarf, struct sm_buf *buf)
{
	size_t start = buf->len;
	bool absolute;

	for (size_t i = 0; i < SM_ARRAY_SIZE(path->parts); i++) {
		if (!path->parts[i] || !*path->parts[i])
			continue;
		if (buf->len > start)
			sm_buf_addc(buf, '/');
		sm_buf_adds(buf, path->parts[i]);
	}
	if (buf->failed || buf->len == start)
		return;
	buf->len = start + normalise(buf->data + start, buf->len - start);
	absolute = buf->data[start] == '/';
	if (!make_relative(buf, start, sm_dwarf_build_root(dwarf, absolute)) && absolute)
		(void)make_relative(buf, start, sm_dwarf_root(dwarf));
	buf->data[buf->len] = '\0';
}
