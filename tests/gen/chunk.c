// SPDX-License-Identifier: GPL-2.0-or-later
/* chunk: the memory of scripts, and how they end when it, or they, won't do. */
#include "gen.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void gen_die(const struct gen *g, const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	if (g)
		fprintf(stderr, "%s:%u: ", g->script, g->line);
	else
		fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

#define CHUNK_SIZE ((size_t)1 << 16)

struct chunk {
	struct chunk *next;
	max_align_t data[];
};

static void *clear_alloc(size_t size)
{
	void *p = calloc(1, size ? size : 1);

	if (!p)
		gen_die(NULL, "out of memory");
	return p;
}

void *gen_alloc(struct gen *g, size_t size)
{
	struct chunk *c;
	size_t want;
	void *p;

	if (!g)
		return clear_alloc(size);
	size = (size + 15) / 16 * 16;
	if (size > g->arena_left) {
		want = size > CHUNK_SIZE / 4 ? size : CHUNK_SIZE;
		c = clear_alloc(sizeof(*c) + want);
		c->next = g->chunks;
		g->chunks = c;
		if (want == size)
			return c->data; /* of its own: the chunk before goes on */
		g->arena = (char *)c->data;
		g->arena_left = want;
	}
	p = g->arena;
	g->arena += size;
	g->arena_left -= size;
	return p;
}

char *gen_strdup(struct gen *g, const char *s, size_t len)
{
	char *p = gen_alloc(g, len + 1);

	memcpy(p, s, len);
	return p;
}

void gen_grow(struct gen *g, void *array, size_t *cap, size_t need, size_t size)
{
	void *old, *new;
	size_t n = *cap ? *cap : 8;

	if (need <= *cap)
		return;
	while (n < need)
		n *= 2;
	memcpy(&old, array, sizeof(old));
	new = gen_alloc(g, n * size);
	if (*cap)
		memcpy(new, old, *cap * size);
	if (!g)
		free(old);
	memcpy(array, &new, sizeof(new));
	*cap = n;
}

void gen_free(struct gen *g)
{
	while (g->chunks) {
		struct chunk *c = g->chunks;

		g->chunks = c->next;
		free(c);
	}
	free(g);
}
