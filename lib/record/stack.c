/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interned stacks. Looking up is lock-free; adding takes a mutex. Stacks are never removed, so an
 * index or a pointer stays good for the table's life. When the hash table grows, readers that still
 * hold the old one may miss new stacks there: they then take the mutex and look again.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "known.h"

/* Segment k holds 2^(SEGMENT_BITS + k) entries, so that growing never moves any. */
#define SEGMENT_BITS 12
#define SEGMENTS (33 - SEGMENT_BITS)
#define FIRST_SLOTS (1u << 14)

struct stack_entry {
	const uint64_t *ips;
	uint64_t hash;
	uint32_t depth;
	_Atomic uint16_t skip;
};

struct slot_table {
	struct slot_table *older; /* readers may be in it: freed at the end */
	uint64_t mask;
	_Atomic uint64_t slots[]; /* upper 32 bits of the hash, index + 1; 0 = free */
};

struct sm_stacks {
	_Atomic(struct slot_table *) table;
	_Atomic(struct stack_entry *) segments[SEGMENTS];
	_Atomic uint32_t count;
	pthread_mutex_t lock;
	struct sm_arena arena;
	_Atomic bool failed;
};

static struct slot_table *new_table(uint64_t nslots)
{
	struct slot_table *t = calloc(1, sizeof(*t) + nslots * sizeof(t->slots[0]));

	if (t) {
		sm_huge_hint(t, sizeof(*t) + nslots * sizeof(t->slots[0]));
		t->mask = nslots - 1;
	}
	return t;
}

static inline struct stack_entry *entry_of(const struct sm_stacks *s, uint32_t index)
{
	uint32_t n = (index >> SEGMENT_BITS) + 1;
	unsigned seg = 31 - (unsigned)__builtin_clz(n);
	uint32_t base = ((UINT32_C(1) << seg) - 1) << SEGMENT_BITS;

	return atomic_load_explicit(&s->segments[seg], memory_order_acquire) + (index - base);
}

struct sm_error *sm_stacks_new(uint32_t expected, struct sm_stacks **stacks)
{
	struct sm_stacks *s = calloc(1, sizeof(*s));
	uint64_t nslots = FIRST_SLOTS;
	struct slot_table *t;

	while (nslots < (uint64_t)expected * 2)
		nslots *= 2;
	t = new_table(nslots);
	*stacks = s;
	if (!s || !t) {
		free(s);
		free(t);
		*stacks = NULL;
		return sm_error_nomem();
	}
	atomic_init(&s->table, t);
	pthread_mutex_init(&s->lock, NULL);
	return NULL;
}

void sm_stacks_free(struct sm_stacks *s)
{
	struct slot_table *t;

	if (!s)
		return;
	t = atomic_load(&s->table);
	while (t) {
		struct slot_table *older = t->older;

		free(t);
		t = older;
	}
	for (unsigned i = 0; i < SEGMENTS; i++)
		free(atomic_load(&s->segments[i]));
	sm_arena_release(&s->arena);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

static inline uint64_t mix(uint64_t a, uint64_t b)
{
	__uint128_t m = (__uint128_t)a * b;

	return (uint64_t)m ^ (uint64_t)(m >> 64);
}

/* This runs for every stack of the trace. Two independent chains of multiplications over pairs of
 * words take about half the time of the general sm_hash(). */
static inline uint64_t hash_ips(const uint8_t *ips, uint32_t depth)
{
	const uint64_t k0 = UINT64_C(0xa0761d6478bd642f), k1 = UINT64_C(0xe7037ed1a0b428db);
	/* Never k0 itself, whose product below would be 0 whatever the address. */
	uint64_t a = ~(uint64_t)depth * k0, b = k1;
	uint32_t i = 0;

	for (; i + 4 <= depth; i += 4) {
		const uint8_t *p = ips + (size_t)i * 8;

		a = mix(sm_load64(p, false) ^ k0, sm_load64(p + 8, false) ^ a);
		b = mix(sm_load64(p + 16, false) ^ k1, sm_load64(p + 24, false) ^ b);
	}
	for (; i < depth; i++)
		a = mix(sm_load64(ips + (size_t)i * 8, false) ^ k1, a ^ k0);
	return mix(a ^ k1, b ^ k0);
}

static inline uint64_t tag_of(uint64_t hash)
{
	return hash & UINT64_C(0xffffffff00000000);
}

/* Index of the stack in `t`, or SM_STACK_NONE; *free_slot is where it would go. */
static inline uint32_t look_up(const struct sm_stacks *s, const struct slot_table *t, uint64_t hash,
	const void *ips, uint32_t depth, uint64_t *free_slot)
{
	for (uint64_t i = hash & t->mask;; i = (i + 1) & t->mask) {
		uint64_t slot = atomic_load_explicit(&t->slots[i], memory_order_acquire);

		if (!slot) {
			*free_slot = i;
			return SM_STACK_NONE;
		}
		if (tag_of(slot) == tag_of(hash)) {
			uint32_t index = (uint32_t)slot - 1;
			const struct stack_entry *e = entry_of(s, index);

			if (e->depth == depth && sm_same_ips(e->ips, ips, depth))
				return index;
		}
	}
}

static struct slot_table *grow_table(struct sm_stacks *s, struct slot_table *old)
{
	struct slot_table *t = new_table((old->mask + 1) * 2);

	if (!t)
		return NULL;
	for (uint64_t i = 0; i <= old->mask; i++) {
		uint64_t slot = atomic_load_explicit(&old->slots[i], memory_order_relaxed);
		uint64_t at;

		if (!slot)
			continue;
		at = entry_of(s, (uint32_t)slot - 1)->hash & t->mask;
		while (atomic_load_explicit(&t->slots[at], memory_order_relaxed))
			at = (at + 1) & t->mask;
		atomic_store_explicit(&t->slots[at], slot, memory_order_relaxed);
	}
	t->older = old;
	atomic_store_explicit(&s->table, t, memory_order_release);
	return t;
}

/* Room for entry `index`; false when memory is short. */
static bool ensure_segment(struct sm_stacks *s, uint32_t index)
{
	unsigned seg = 31 - (unsigned)__builtin_clz((index >> SEGMENT_BITS) + 1);
	struct stack_entry *entries;

	if (atomic_load_explicit(&s->segments[seg], memory_order_relaxed))
		return true;
	entries = malloc(sizeof(*entries) << (SEGMENT_BITS + seg));
	if (!entries)
		return false;
	sm_huge_hint(entries, sizeof(*entries) << (SEGMENT_BITS + seg));
	atomic_store_explicit(&s->segments[seg], entries, memory_order_release);
	return true;
}

static uint32_t add_locked(
	struct sm_stacks *s, uint64_t hash, const void *ips, uint32_t depth, bool borrow)
{
	struct slot_table *t = atomic_load_explicit(&s->table, memory_order_relaxed);
	uint32_t index = atomic_load_explicit(&s->count, memory_order_relaxed), found;
	struct stack_entry *e;
	uint64_t slot = 0;

	found = look_up(s, t, hash, ips, depth, &slot);
	if (found != SM_STACK_NONE)
		return found;
	if ((uint64_t)index * 2 > t->mask) {
		t = grow_table(s, t);
		if (!t)
			return SM_STACK_NONE;
		look_up(s, t, hash, ips, depth, &slot);
	}
	if (index >= SM_STACK_MAX || !ensure_segment(s, index))
		return SM_STACK_NONE;
	e = entry_of(s, index);
	if (borrow) {
		e->ips = ips;
	} else {
		void *copy = sm_arena_alloc(&s->arena, (size_t)depth * 8);

		if (!copy)
			return SM_STACK_NONE;
		e->ips = memcpy(copy, ips, (size_t)depth * 8);
	}
	e->hash = hash;
	e->depth = depth;
	atomic_init(&e->skip, SM_SKIP_UNKNOWN);
	atomic_store_explicit(&s->count, index + 1, memory_order_release);
	atomic_store_explicit(&t->slots[slot], tag_of(hash) | (index + 1), memory_order_release);
	return index;
}

uint32_t sm_stacks_add(struct sm_stacks *s, const void *ips, uint32_t depth, bool borrow)
{
	const struct slot_table *t = atomic_load_explicit(&s->table, memory_order_acquire);
	uint64_t hash, slot = 0;
	uint32_t index;

	if (depth == 0)
		return SM_STACK_NONE;
	hash = hash_ips(ips, depth);
	index = look_up(s, t, hash, ips, depth, &slot);
	if (index != SM_STACK_NONE)
		return index;
	pthread_mutex_lock(&s->lock);
	index = add_locked(s, hash, ips, depth, borrow);
	pthread_mutex_unlock(&s->lock);
	if (index == SM_STACK_NONE)
		atomic_store_explicit(&s->failed, true, memory_order_relaxed);
	return index;
}

struct sm_stack sm_stacks_get(const struct sm_stacks *s, uint32_t index)
{
	const struct stack_entry *e = entry_of(s, index);

	return (struct sm_stack){
		.ips = e->ips,
		.depth = e->depth,
		.skip = atomic_load_explicit(&e->skip, memory_order_relaxed),
	};
}

uint32_t sm_stacks_count(const struct sm_stacks *s)
{
	return atomic_load_explicit(&s->count, memory_order_acquire);
}

bool sm_stacks_failed(const struct sm_stacks *s)
{
	return atomic_load_explicit(&s->failed, memory_order_relaxed);
}

bool sm_stacks_note_call_site(struct sm_stacks *s, uint32_t index, uint64_t call_site)
{
	struct stack_entry *e = entry_of(s, index);
	uint16_t skip = atomic_load_explicit(&e->skip, memory_order_relaxed);

	if (skip != SM_SKIP_UNKNOWN && e->ips[skip] == call_site)
		return true;
	for (uint32_t i = 0; i < e->depth && i < SM_SKIP_UNKNOWN; i++) {
		if (e->ips[i] != call_site)
			continue;
		/* Two call sites in one stack (recursion): the innermost one tells where the
		 * allocator's frames end, whichever thread comes first. SM_SKIP_UNKNOWN is above
		 * all others. */
		while (i < skip && !atomic_compare_exchange_weak_explicit(&e->skip, &skip,
					   (uint16_t)i, memory_order_relaxed, memory_order_relaxed))
			;
		return true;
	}
	return false;
}

int sm_ips_compare(const uint64_t *a, uint32_t na, const uint64_t *b, uint32_t nb)
{
	for (uint32_t i = 0; i < na && i < nb; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return na < nb ? -1 : na > nb;
}
