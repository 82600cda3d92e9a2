/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sections put together byte by byte, for tests of what no compiler writes. */
#ifndef UNIT_BARE_ELF_H
#define UNIT_BARE_ELF_H

#include "lib/symbol/dwarf.h"

void put(struct sm_buf *b, unsigned size, uint64_t v); /* in this machine's byte order */
void put_uleb(struct sm_buf *b, uint64_t v);
void put_sleb(struct sm_buf *b, int64_t v);
void put_string(struct sm_buf *b, const char *s); /* with its NUL */
/* Numbers below 128, up to -1: those that only ULEB128s and bytes hold. */
void put_bytes(struct sm_buf *b, ...);
#define PUT(b, ...) put_bytes(b, __VA_ARGS__, -1)

#define BARE_TEXT UINT64_C(0x400000)
#define BARE_TEXT_SIZE 0x10000

/* A linked file with .text at BARE_TEXT, without contents, and these sections where they have
 * bytes. */
struct bare_elf {
	struct sm_buf info, abbrev, str, line, ranges, rnglists, addr, aranges;
};

struct object *bare_elf_object(const struct bare_elf *elf);
void bare_elf_release(struct bare_elf *elf);

/* Begins a unit of DWARF 4, 32 bits, 8-byte addresses; returns its offset, for unit_end(). */
size_t unit_begin(struct sm_buf *info, uint64_t abbrev_offset);
void unit_end(struct sm_buf *info, size_t offset);

#endif
