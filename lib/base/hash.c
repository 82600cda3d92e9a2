/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <smtool/base.h>

/* Odd constants with as many ones as zeros in each byte, so that a multiplication spreads each bit.
 */
#define K0 UINT64_C(0x9a6cb255d4e8a763)
#define K1 UINT64_C(0xc53a8e4b71d2969b)
#define K2 UINT64_C(0x63e1d8352bb4c9a5)
#define K3 UINT64_C(0xb8745c9de26a4d17)

/*
 * Both halves of the product of two words. The words themselves go in too: else a word that equals
 * its constant makes the product 0 whatever its partner is, and a file could be written that
 * puts all its stacks into one slot.
 */
static inline uint64_t mix(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64) ^ a ^ b;
}

static inline uint64_t load(const uint8_t *p)
{
	return sm_load64(p, false);
}

uint64_t sm_hash(const void *data, size_t len, uint64_t seed)
{
	const uint8_t *p = data;
	size_t left = len;
	uint64_t a, b;

	seed ^= K0;
	if (len > 16) {
		if (left >= 64) {
			/* Four lanes that don't wait for each other's multiplication. */
			uint64_t s0 = seed, s1 = seed + K1, s2 = seed ^ K2, s3 = seed + K3;

			do {
				s0 = mix(load(p) ^ K0, load(p + 8) ^ s0);
				s1 = mix(load(p + 16) ^ K1, load(p + 24) ^ s1);
				s2 = mix(load(p + 32) ^ K2, load(p + 40) ^ s2);
				s3 = mix(load(p + 48) ^ K3, load(p + 56) ^ s3);
				p += 64;
				left -= 64;
			} while (left >= 64);
			seed = mix(s0 ^ K2, s1) + mix(s2 ^ K3, s3);
		}
		for (; left > 16; left -= 16, p += 16)
			seed = mix(load(p) ^ K1, load(p + 8) ^ seed);
		/* The last 16 bytes, which may overlap what has gone in: there are more than 16. */
		a = load(p + left - 16);
		b = load(p + left - 8);
	} else if (len >= 8) {
		a = load(p);
		b = load(p + len - 8);
	} else if (len >= 4) {
		a = sm_load32(p, false);
		b = sm_load32(p + len - 4, false);
	} else if (len) {
		a = (uint64_t)p[0] << 16 | (uint64_t)p[len / 2] << 8 | p[len - 1];
		b = 0;
	} else {
		a = b = 0;
	}
	return mix(mix(a ^ K1, b ^ seed) ^ K2, (uint64_t)len ^ K3);
}

uint64_t sm_fnv(uint64_t h, const void *data, size_t len)
{
	const uint8_t *p = data;

	for (size_t i = 0; i < len; i++)
		h = (h ^ p[i]) * UINT64_C(0x100000001b3);
	return h;
}
