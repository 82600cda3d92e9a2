/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <limits.h>

#include "suggestion.h"

/* No option or command is longer; longer typed ones get no suggestion. */
#define NAME_MAX_LEN 40

void suggestion_init(struct suggestion *s, const char *typed, size_t len)
{
	*s = (struct suggestion){.typed = typed, .len = len, .distance = UINT_MAX};
}

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
	unsigned m = a < b ? a : b;

	return m < c ? m : c;
}

/* Insertions, deletions, replacements and swaps of neighbours from one to the other. */
static unsigned edit_distance(const char *a, size_t na, const char *b, size_t nb)
{
	unsigned rows[3][NAME_MAX_LEN + 1];
	unsigned *before = rows[0], *last = rows[1], *now = rows[2];

	for (size_t j = 0; j <= nb; j++)
		last[j] = (unsigned)j;
	for (size_t i = 1; i <= na; i++) {
		unsigned *spare = before;

		now[0] = (unsigned)i;
		for (size_t j = 1; j <= nb; j++) {
			unsigned replace = last[j - 1] + (a[i - 1] != b[j - 1]);

			now[j] = min3(replace, last[j] + 1, now[j - 1] + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
				before[j - 2] + 1 < now[j])
				now[j] = before[j - 2] + 1;
		}
		before = last;
		last = now;
		now = spare;
	}
	return last[nb];
}

void suggestion_consider(struct suggestion *s, const char *name)
{
	size_t len = strlen(name);
	unsigned d;

	if (s->len > NAME_MAX_LEN || len > NAME_MAX_LEN)
		return;
	d = edit_distance(s->typed, s->len, name, len);
	if (d < s->distance) {
		s->distance = d;
		s->best = name;
	}
}

const char *suggestion_get(const struct suggestion *s)
{
	/* A third of what was typed may be wrong, but never more than three letters. */
	size_t limit = (s->len + 1) / 3 < 3 ? (s->len + 1) / 3 : 3;

	return s->best && s->distance <= limit ? s->best : NULL;
}
