/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The live set: open addressing with linear probing, and removal that shifts what is behind back,
 * so that no tombstones pile up over hours of allocations and frees.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "internal.h"

#define FIRST_SLOTS 4096
#define HUGE_PAGE (2u << 20)

static struct live_object *new_slots(size_t n)
{
	size_t size = n * sizeof(struct live_object);
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	/* Nearly every lookup is a TLB miss otherwise; only a hint. */
	if (size >= HUGE_PAGE)
		(void)madvise(p, size, MADV_HUGEPAGE);
	memset(p, 0xff, size);
	return p;
}

static void free_slots(struct live_object *slots, size_t n)
{
	if (slots)
		munmap(slots, n * sizeof(*slots));
}

bool sm_live_grow(struct live_set *set)
{
	struct live_set bigger = {0};

	bigger.nslots = set->nslots ? set->nslots * 2 : FIRST_SLOTS;
	bigger.shift = 64 - (unsigned)__builtin_ctzll(bigger.nslots);
	bigger.slots = new_slots(bigger.nslots);
	if (!bigger.slots)
		return false;
	for (size_t i = 0; i < set->nslots; i++)
		if (set->slots[i].ptr != LIVE_FREE)
			*live_slot(&bigger, set->slots[i].ptr) = set->slots[i];
	bigger.n = set->n;
	bigger.limit = bigger.nslots / 8 * 5;
	free_slots(set->slots, set->nslots);
	*set = bigger;
	return true;
}

bool sm_live_copy(struct live_set *to, const struct live_set *from)
{
	*to = *from;
	if (!from->nslots)
		return true;
	to->slots = mmap(NULL, from->nslots * sizeof(*to->slots), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (to->slots == MAP_FAILED) {
		memset(to, 0, sizeof(*to));
		return false;
	}
	memcpy(to->slots, from->slots, from->nslots * sizeof(*to->slots));
	return true;
}

void sm_live_remove(struct live_set *set, struct live_object *object)
{
	size_t mask = set->nslots - 1;
	size_t hole = (size_t)(object - set->slots);

	set->n--;
	for (size_t i = (hole + 1) & mask; set->slots[i].ptr != LIVE_FREE; i = (i + 1) & mask) {
		size_t home = live_home(set, set->slots[i].ptr);

		/* It may move into the hole unless its home lies behind the hole. */
		if (((i - home) & mask) < ((i - hole) & mask))
			continue;
		set->slots[hole] = set->slots[i];
		hole = i;
	}
	set->slots[hole].ptr = LIVE_FREE;
}

void sm_live_release(struct live_set *set)
{
	free_slots(set->slots, set->nslots);
	memset(set, 0, sizeof(*set));
}
