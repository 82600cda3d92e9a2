/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small ELF files in a scratch directory, and what a search finds of them. */
#ifndef UNIT_FINDING_H
#define UNIT_FINDING_H

#include "lib/symbol/search.h"
#include "scratch.h"

#define RELEASE "6.1.0-test"
#define ID "0123456789abcdef"
#define OTHER_ID "fedcba9876543210"

enum {
	CODE = 1,
	DEBUG = 2,
	SYMBOLS = 4,
	RELOCATABLE = 8,
	LARGER = 16, /* text of another size */
};

struct finding_elf {
	unsigned parts;
	const char *id; /* 16 digits; NULL = none */
	const char *link;
	uint32_t crc;
	const char *alt, *alt_id;
};

uint8_t *finding_make(const struct finding_elf *e, size_t *len);
void finding_put_elf(const struct scratch *s, const char *path, const struct finding_elf *e);
void finding_put(const struct scratch *s, const char *path, unsigned parts, const char *id);

/* What is logged, to be looked through; said.text is the caller's to release. */
struct said {
	struct sm_buf text;
	struct sm_log log;
};

void said_listen(struct said *said);
void said_was(const struct said *said, enum sm_level level, const char *what);

/* A search below the directory `root` of the scratch; good until the next call. */
struct search finding_search(const struct scratch *s, const char *root);
/* Paths are below the scratch directory; "-" = there is none. Releases the set. */
void finding_set_is(const struct scratch *s, struct object_set *set, const char *code,
	const char *debug, const char *alt);
void finding_vmlinux_is(const struct scratch *s, const struct search *search, const char *id,
	const char *code, const char *debug);
void finding_module_is(const struct scratch *s, const struct search *search, const char *name,
	const char *id, const char *code, const char *debug);

#endif
