/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "fragments.h"

#define FIRST_SLOTS 4096
/* Bytes of text and slots that may gather: the names of a whole kernel's call sites are fewer. */
#define MAX_TEXT ((size_t)64 << 20)
#define MAX_USED ((size_t)1 << 18)

struct fragments *fragments_new(const struct sm_symbols *syms, fragment_render render)
{
	struct fragments *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->syms = syms;
	f->render = render;
	f->nslots = FIRST_SLOTS;
	f->slots = calloc(f->nslots, sizeof(*f->slots));
	if (!f->slots) {
		free(f);
		return NULL;
	}
	return f;
}

void fragments_free(struct fragments *f)
{
	if (!f)
		return;
	sm_arena_release(&f->arena);
	sm_buf_release(&f->scratch);
	free(f->slots);
	free(f->list);
	free(f);
}

static void forget(struct fragments *f)
{
	sm_arena_release(&f->arena);
	memset(f->slots, 0, f->nslots * sizeof(*f->slots));
	f->used = 0;
}

static inline struct fragment_slot *slot_of(struct fragment_slot *slots, size_t nslots, uint64_t ip)
{
	size_t i = (size_t)((ip * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (nslots - 1);

	while (slots[i].fragment.text && slots[i].ip != ip)
		i = (i + 1) & (nslots - 1);
	return &slots[i];
}

static bool grow(struct fragments *f)
{
	size_t n = f->nslots * 2;
	struct fragment_slot *slots = calloc(n, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 0; i < f->nslots; i++) {
		if (f->slots[i].fragment.text)
			*slot_of(slots, n, f->slots[i].ip) = f->slots[i];
	}
	free(f->slots);
	f->slots = slots;
	f->nslots = n;
	return true;
}

/* Fills the free slot that `ip` led to. */
static bool render(struct fragments *f, uint64_t ip, struct fragment_slot *slot)
{
	struct sm_buf *b = &f->scratch;
	struct fragment fragment = {0};

	sm_buf_reset(b);
	f->render(f->syms, ip, b, fragment.part);
	if (b->failed || b->len > UINT32_MAX)
		return false;
	fragment.text = sm_arena_strndup(&f->arena, b->data ? b->data : "", b->len);
	fragment.len = (uint32_t)b->len;
	if (!fragment.text)
		return false;
	slot->ip = ip;
	slot->fragment = fragment;
	f->used++;
	return true;
}

const struct fragment *fragments_of(struct fragments *f, const uint64_t *ips, uint32_t depth)
{
	if (f->used > MAX_USED || f->arena.total > MAX_TEXT)
		forget(f);
	if (depth >= f->list_cap && !sm_grow(&f->list, &f->list_cap, depth + 1, sizeof(*f->list)))
		return NULL;
	for (uint32_t i = 0; i < depth; i++) {
		struct fragment_slot *slot = slot_of(f->slots, f->nslots, ips[i]);

		if (!slot->fragment.text) {
			if (f->used >= f->nslots / 2) {
				if (!grow(f))
					return NULL;
				slot = slot_of(f->slots, f->nslots, ips[i]);
			}
			if (!render(f, ips[i], slot))
				return NULL;
		}
		f->list[i] = slot->fragment;
	}
	return f->list;
}
