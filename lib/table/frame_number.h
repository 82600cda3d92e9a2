/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions as dense numbers, the same for several inputs: each address is asked about once. */
#ifndef SM_TABLE_FRAME_NUMBER_H
#define SM_TABLE_FRAME_NUMBER_H

#include "internal.h"

#define NO_NUMBER UINT32_MAX

/* Zero-initialise to start. */
struct function_names {
	struct sm_strings texts; /* by number: function NUL module */
	struct sm_buf scratch;
};

static inline const char *function_of(const struct function_names *names, uint32_t number)
{
	return sm_strings_get(&names->texts, number);
}

static inline const char *module_of(const struct function_names *names, uint32_t number)
{
	const char *function = function_of(names, number);

	return function + strlen(function) + 1;
}

/* NO_NUMBER when memory is short. */
uint32_t sm_function_number(struct function_names *names, const char *function, const char *module);

void sm_function_names_release(struct function_names *names);

/* The numbers of one input's addresses. Zero-initialise, but for the first two. */
struct frame_numbers {
	const struct sm_symbols *syms; /* borrowed */
	struct function_names *names;  /* borrowed; others' too */
	struct frame_slot {
		uint64_t ip;
		uint32_t number_plus_1; /* 0 = free */
	} * slots;
	size_t n, nslots;
};

static inline size_t frame_home(const struct frame_numbers *f, uint64_t ip)
{
	return (size_t)((ip * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (f->nslots - 1);
}

/* The number of an address that isn't there yet; NO_NUMBER when memory is short. */
uint32_t sm_frame_number_new(struct frame_numbers *f, uint64_t ip);

static inline uint32_t frame_number(struct frame_numbers *f, uint64_t ip)
{
	if (!f->nslots)
		return sm_frame_number_new(f, ip);
	for (size_t i = frame_home(f, ip); f->slots[i].number_plus_1; i = (i + 1) & (f->nslots - 1))
		if (f->slots[i].ip == ip)
			return f->slots[i].number_plus_1 - 1;
	return sm_frame_number_new(f, ip);
}

void sm_frame_numbers_release(struct frame_numbers *f);

#endif
