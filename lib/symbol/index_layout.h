/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How an index lies in its file: the header in the first block; then the segments, the scopes and
 * the strings of the code map, each from a block's start on; then a checksum for each block of
 * these, and the marks (code_map.h), both of which are read when it is opened. All in the byte
 * order of the machine that wrote it.
 */
#ifndef SMTOOL_SYMBOL_INDEX_LAYOUT_H
#define SMTOOL_SYMBOL_INDEX_LAYOUT_H

#include "index.h"

#define INDEX_MAGIC "smindex\n"
#define INDEX_BYTE_ORDER UINT32_C(0x01020304)
/* To be raised whenever the same debug information would give another file: its layout, but also
 * what the tables say, and sm_hash(). It is part of the name, so versions live side by side. */
#define INDEX_VERSION 1
/* What is checked at once: a page, which is read at once too. Segments and scopes may lie across.
 */
#define INDEX_BLOCK 4096
/* Digits. NT_GNU_BUILD_ID of 64 bytes is the longest that is read. */
#define INDEX_ID_MAX 128
#define INDEX_ID_MIN 4
#define INDEX_NAME_MAX (INDEX_ID_MAX + 64)

struct index_header {
	char magic[8];
	uint32_t byte_order, version;
	uint64_t file_size;
	uint64_t base, nsegments, nscopes, strings_len;
	uint64_t sums, marks;        /* checksums of these tables */
	char build_id[INDEX_ID_MAX]; /* padded with NUL */
	uint64_t checksum;           /* of all before; last */
};

/* Offsets in the file. */
struct index_layout {
	uint64_t segments, scopes, strings, sums, marks, size;
	uint64_t segments_len, scopes_len, strings_len, sums_len, marks_len; /* in bytes */
	uint64_t nblocks; /* of the tables: block 0 is the one behind the header's */
};

/* False where the header's counts can't be. */
bool sm_index_layout(const struct index_header *header, struct index_layout *layout) SM_MUST_CHECK;
uint64_t sm_index_header_sum(const struct index_header *header);
/* Of a block of the tables. The header's build id and the number go in, so that a block of another
 * file or from another place isn't taken. */
uint64_t sm_index_block_sum(
	const struct index_header *header, uint64_t block, const void *data, size_t len);

/* "BUILDID-VERSION.index". False where it is no build id: lower-case hex digits, two for a byte. */
bool sm_index_name(const char *build_id, char name[INDEX_NAME_MAX]) SM_MUST_CHECK;
/* Whether a file's name is that of an index of any version, and whether one under a temporary name.
 */
bool sm_index_name_is(const char *name, bool *temporary) SM_MUST_CHECK;

#endif
