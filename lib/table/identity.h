/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What frames are, as numbers that are the same for all inputs: two frames have the same number if
 * and only if they are the same function, offset and build (or function and module).
 */
#ifndef SM_TABLE_IDENTITY_H
#define SM_TABLE_IDENTITY_H

#include "suppression.h"

struct identities {
	enum sm_match match;
	const struct sm_suppressions *suppressions; /* NULL = none */
	bool *used;                                 /* by suppression: something matched */
	struct sm_strings texts;
	struct identity {
		uint64_t hash;      /* of what the frame is, not of the order in which they came */
		size_t suppression; /* the first that matches, SIZE_MAX = none */
	} * items;                  /* by number */
	size_t cap;
	struct sm_buf text, name; /* scratch */
};

/* The numbers of one input's addresses. */
struct address_numbers {
	const struct sm_symbols *syms; /* NULL: there are no names */
	struct address_slot {
		uint64_t ip;
		uint32_t number_plus_1; /* 0 = free */
	} * slots;
	size_t n, nslots;
	size_t unresolved; /* addresses without a name, the trampoline's marker apart */
};

/* The numbers of a stack's frames. False when memory is short. */
bool sm_identities_of(struct identities *all, struct address_numbers *numbers, const uint64_t *ips,
	uint32_t depth, uint32_t *found) SM_MUST_CHECK;
void sm_identities_release(struct identities *all);

/* A function's name without what compilers append: so many of its bytes. */
size_t sm_plain_name(const char *name, size_t len);

#endif
