/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A set of addresses that keeps their order. */
#include <stdlib.h>

#include <smtool/record.h>
#include <smtool/symbol.h>

#define FIRST_SLOTS 1024
#define MAX_ADDRESSES ((size_t)1 << 31)

static size_t home_of(uint64_t ip, size_t nslots)
{
	return (size_t)((ip * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (nslots - 1);
}

static bool grow(struct sm_addresses *a)
{
	size_t nslots = a->nslots ? a->nslots * 2 : FIRST_SLOTS;
	uint32_t *slots = calloc(nslots, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t k = 0; k < a->n; k++) {
		size_t i = home_of(a->items[k], nslots);

		while (slots[i])
			i = (i + 1) & (nslots - 1);
		slots[i] = (uint32_t)k + 1;
	}
	free(a->slots);
	a->slots = slots;
	a->nslots = nslots;
	return true;
}

bool sm_addresses_add(struct sm_addresses *a, const uint64_t *ips, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		size_t i;

		if (ips[k] == SM_TRAMPOLINE || sm_is_named(ips[k]))
			continue;
		if (a->n * 2 >= a->nslots && !grow(a))
			return false;
		i = home_of(ips[k], a->nslots);
		while (a->slots[i] && a->items[a->slots[i] - 1] != ips[k])
			i = (i + 1) & (a->nslots - 1);
		if (a->slots[i])
			continue;
		if (a->n == MAX_ADDRESSES ||
			!sm_grow(&a->items, &a->cap, a->n + 1, sizeof(*a->items)))
			return false;
		a->items[a->n++] = ips[k];
		a->slots[i] = (uint32_t)a->n;
	}
	return true;
}

void sm_addresses_release(struct sm_addresses *a)
{
	free(a->items);
	free(a->slots);
	*a = (struct sm_addresses){0};
}
