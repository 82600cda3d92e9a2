/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a value is spread over machines, in bounded memory. */
#include <stdlib.h>

#include <smtool/imported.h>

static uint64_t cut(uint64_t value, unsigned bits)
{
	unsigned width = value ? 64 - (unsigned)__builtin_clzll(value) : 0;

	if (!bits || width <= bits)
		return value;
	return value >> (width - bits) << (width - bits);
}

/* Cuts all values to `bits`; those that become equal are one. */
static void coarsen(struct sm_spread *s, unsigned bits)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		struct sm_spread_entry e = s->entries[i];

		e.value = cut(e.value, bits);
		if (n && s->entries[n - 1].value == e.value)
			s->entries[n - 1].count += e.count;
		else
			s->entries[n++] = e;
	}
	s->n = n;
	s->bits = (uint8_t)bits;
}

/* The first entry that isn't below `value`. */
static uint32_t place_of(const struct sm_spread *s, uint64_t value)
{
	uint32_t low = 0, high = s->n;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (s->entries[mid].value < value)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool sm_spread_add(struct sm_spread *s, uint64_t value, uint64_t count)
{
	size_t cap = s->cap;
	uint32_t at;

	value = cut(value, s->bits);
	at = place_of(s, value);
	s->total += count;
	if (at < s->n && s->entries[at].value == value) {
		s->entries[at].count += count;
		return true;
	}
	if (s->n == cap) {
		/* Most rows have few values: small steps. */
		struct sm_spread_entry *grown;

		cap = cap ? cap * 2 : 2;
		grown = realloc(s->entries, cap * sizeof(*grown));
		if (!grown)
			return false;
		s->entries = grown;
		s->cap = (uint32_t)cap;
	}
	memmove(&s->entries[at + 1], &s->entries[at], (s->n - at) * sizeof(*s->entries));
	s->entries[at] = (struct sm_spread_entry){.value = value, .count = count};
	s->n++;
	/* From the bits that the largest has down to one: 64 widths, so this ends. */
	for (unsigned bits = s->bits ? s->bits : 16; s->n > SM_SPREAD_MAX && bits > 1;)
		coarsen(s, --bits);
	return true;
}

bool sm_spread_merge(struct sm_spread *s, const struct sm_spread *other)
{
	if (other->bits && (!s->bits || other->bits < s->bits))
		coarsen(s, other->bits);
	for (uint32_t i = 0; i < other->n; i++)
		if (!sm_spread_add(s, other->entries[i].value, other->entries[i].count))
			return false;
	return true;
}

uint64_t sm_spread_quantile(const struct sm_spread *s, double q)
{
	uint64_t sum = 0, rank = (uint64_t)(q * (double)s->total);

	if ((double)rank < q * (double)s->total)
		rank++;
	for (uint32_t i = 0; i < s->n; i++) {
		uint64_t value = s->entries[i].value;
		unsigned width = value ? 64 - (unsigned)__builtin_clzll(value) : 0;

		sum += s->entries[i].count;
		if (sum < rank)
			continue;
		/* The middle of what was cut to it. */
		if (s->bits && width > s->bits)
			value += UINT64_C(1) << (width - s->bits) >> 1;
		return value;
	}
	return 0;
}

void sm_spread_release(struct sm_spread *s)
{
	free(s->entries);
	*s = (struct sm_spread){0};
}
