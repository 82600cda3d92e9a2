/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What elfwriter.c and elflayout.c share. */
#ifndef GEN_ELFLAYOUT_H
#define GEN_ELFLAYOUT_H

#include "elfwriter.h"

struct ew_symbol {
	char *name;
	uint64_t value, size;
	uint32_t shndx; /* SHN_UNDEF, SHN_ABS, or a section's index */
	unsigned char info;
};

void *ew_alloc(size_t size);
void ew_grow(void *array, size_t *cap, size_t need, size_t size);
char *ew_strdup(const char *s);

#endif
