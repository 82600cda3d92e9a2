/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include <smtool/base.h>

/* Chunks double from the first size to the last: small tables stay small, large ones cost few
 * calls. Bytes, the header included. */
#define CHUNK_FIRST ((size_t)4 << 10)
#define CHUNK_LAST ((size_t)1 << 20)

struct sm_arena_chunk {
	struct sm_arena_chunk *next;
	uint64_t data[];
};

static struct sm_arena_chunk *new_chunk(struct sm_arena *a, size_t data_size)
{
	struct sm_arena_chunk *chunk;
	size_t bytes;

	if (__builtin_add_overflow(data_size, sizeof(*chunk), &bytes) || bytes > PTRDIFF_MAX)
		return NULL;
	chunk = malloc(bytes);
	if (chunk)
		a->total += bytes;
	return chunk;
}

void *sm_arena_alloc(struct sm_arena *a, size_t size)
{
	struct sm_arena_chunk *chunk;
	size_t bytes;
	char *p;

	if (size > SIZE_MAX - 7)
		return NULL;
	size = size ? (size + 7) & ~(size_t)7 : 8;
	if (size <= a->cap - a->used) {
		p = (char *)a->chunks->data + a->used;
		a->used += size;
		return p;
	}
	bytes = a->total < CHUNK_FIRST ? CHUNK_FIRST : a->total;
	if (bytes > CHUNK_LAST)
		bytes = CHUNK_LAST;
	bytes -= sizeof(*chunk);
	if (size > bytes / 4) {
		/* A chunk of its own, behind the newest, which keeps being filled. */
		chunk = new_chunk(a, size);
		if (!chunk)
			return NULL;
		if (a->chunks) {
			chunk->next = a->chunks->next;
			a->chunks->next = chunk;
		} else {
			chunk->next = NULL;
			a->chunks = chunk;
			a->used = a->cap = size;
		}
		return chunk->data;
	}
	chunk = new_chunk(a, bytes);
	if (!chunk)
		return NULL;
	chunk->next = a->chunks;
	a->chunks = chunk;
	a->used = size;
	a->cap = bytes;
	return chunk->data;
}

char *sm_arena_strndup(struct sm_arena *a, const char *s, size_t len)
{
	char *p = len < SIZE_MAX ? sm_arena_alloc(a, len + 1) : NULL;

	if (!p)
		return NULL;
	if (len)
		memcpy(p, s, len);
	p[len] = '\0';
	return p;
}

void sm_arena_release(struct sm_arena *a)
{
	struct sm_arena_chunk *chunk = a->chunks;

	while (chunk) {
		struct sm_arena_chunk *next = chunk->next;

		free(chunk);
		chunk = next;
	}
	*a = (struct sm_arena){0};
}
