/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a decoder saw before: stacks and caches' names are few and come again and again, so that one
 * comparison with what was last seen in the same slot mostly saves the shared tables' hashing. What
 * is not there is looked up as usual.
 */
#ifndef SM_RECORD_KNOWN_H
#define SM_RECORD_KNOWN_H

#include "internal.h"

/* Two words at a time in any compiler's vector registers. */
typedef uint64_t sm_pair __attribute__((vector_size(16), aligned(1), may_alias));

static inline sm_pair sm_differs(const uint8_t *a, const uint8_t *b)
{
	return (*(const sm_pair *)a ^ *(const sm_pair *)b) |
	       (*(const sm_pair *)(a + 16) ^ *(const sm_pair *)(b + 16));
}

static inline bool sm_same_ips(const void *a, const void *b, uint32_t depth)
{
	const uint8_t *x = a, *y = b;
	size_t len = (size_t)depth * 8;
	sm_pair differs;

	if (depth < 4) {
		for (size_t i = 0; i < len; i += 8)
			if (sm_load64(x + i, false) != sm_load64(y + i, false))
				return false;
		return true;
	}
	/* The last four words may overlap what has been compared. */
	differs = sm_differs(x + len - 32, y + len - 32);
	for (size_t i = 0; i + 32 < len; i += 32)
		differs |= sm_differs(x + i, y + i);
	return (differs[0] | differs[1]) == 0;
}

/* The slot that a stack would be in: a few of its words tell most stacks apart. depth > 0. */
static inline struct known_stack *sm_known_stack(
	struct decoder *d, const uint8_t *ips, uint32_t depth)
{
	uint64_t key = sm_load64(ips + (size_t)(depth / 2) * 8, false);

	key = key * 3 + sm_load64(ips + (size_t)(depth / 4) * 8, false);
	key = key * 5 + sm_load64(ips + (size_t)(depth - depth / 4 - 1) * 8, false) + depth;
	return &d->known_stacks[(key * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - KNOWN_STACK_BITS)];
}

/* SM_NO_STRING when memory is short; the decoder's error is set then. */
static inline uint32_t sm_known_cache_add(struct decoder *d, const char *name, size_t len)
{
	struct cache_names *caches = &d->trace->priv->caches;
	uint32_t id;

	pthread_mutex_lock(&caches->lock);
	id = sm_strings_add(&caches->strings, name, len);
	pthread_mutex_unlock(&caches->lock);
	if (id == SM_NO_STRING)
		d->error = d->error ? d->error : sm_error_nomem();
	return id;
}

/* Id of a cache whose name is in `size` bytes, with or without a NUL at its end. */
static inline uint32_t sm_known_cache_id(struct decoder *d, const char *name, size_t size)
{
	struct known_cache *known;
	uint64_t head = 0, tail = 0, key;
	size_t len;

	if (size >= 8) {
		head = sm_load64(name, false);
		tail = sm_load64(name + size - 8, false);
	} else {
		memcpy(&head, name, size);
	}
	key = (head ^ (tail << 1) ^ size) * UINT64_C(0x9e3779b97f4a7c15);
	known = &d->known_caches[key >> (64 - KNOWN_CACHE_BITS)];
	/* Up to 16 bytes the two words are all of the name. */
	if (known->name && known->size == size && known->head == head && known->tail == tail &&
		(size <= 16 || memcmp(known->name + 8, name + 8, size - 16) == 0))
		return known->id;
	len = strnlen(name, size);
	known->id = sm_known_cache_add(d, name, len);
	/* The string that is kept has len bytes and a NUL: what is behind them can't be compared.
	 */
	known->name = len + 1 >= size ? sm_trace_cache(d->trace, known->id) : NULL;
	known->size = (uint32_t)size;
	known->head = head;
	known->tail = tail;
	return known->id;
}

#endif
