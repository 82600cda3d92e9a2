/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "index_layout.h"

#include <stdio.h>

static uint64_t whole_blocks(uint64_t len)
{
	return (len + INDEX_BLOCK - 1) / INDEX_BLOCK * INDEX_BLOCK;
}

bool sm_index_layout(const struct index_header *header, struct index_layout *layout)
{
	struct index_layout l = {.segments = INDEX_BLOCK};

	/* The tables number each other in 32 bits; and so nothing below wraps. */
	if (header->nsegments > UINT32_MAX || header->nscopes > UINT32_MAX ||
		header->strings_len > UINT32_MAX)
		return false;
	l.segments_len = header->nsegments * sizeof(struct code_segment);
	l.scopes_len = header->nscopes * sizeof(struct code_scope);
	l.strings_len = header->strings_len;
	l.scopes = l.segments + whole_blocks(l.segments_len);
	l.strings = l.scopes + whole_blocks(l.scopes_len);
	l.sums = l.strings + whole_blocks(l.strings_len);
	l.nblocks = l.sums / INDEX_BLOCK - 1;
	l.sums_len = l.nblocks * sizeof(uint64_t);
	l.marks = l.sums + l.sums_len;
	l.marks_len = (header->nsegments + CODE_MARK - 1) / CODE_MARK * sizeof(uint32_t);
	l.size = l.marks + l.marks_len;
	*layout = l;
	return l.size <= PTRDIFF_MAX;
}

uint64_t sm_index_header_sum(const struct index_header *header)
{
	return sm_hash(header, offsetof(struct index_header, checksum), INDEX_VERSION);
}

uint64_t sm_index_block_sum(
	const struct index_header *header, uint64_t block, const void *data, size_t len)
{
	uint64_t id;

	memcpy(&id, header->build_id, sizeof(id));
	return sm_hash(data, len, id + block);
}

/* How many digits `s` begins with, 0 where that is no build id. */
static size_t id_span(const char *s)
{
	size_t n = strspn(s, "0123456789abcdef");

	return n >= INDEX_ID_MIN && n <= INDEX_ID_MAX && n % 2 == 0 ? n : 0;
}

bool sm_index_name(const char *build_id, char name[INDEX_NAME_MAX])
{
	size_t n = build_id ? id_span(build_id) : 0;

	if (!n || build_id[n])
		return false;
	snprintf(name, INDEX_NAME_MAX, "%s-%d.index", build_id, INDEX_VERSION);
	return true;
}

bool sm_index_name_is(const char *name, bool *temporary)
{
	static const char suffix[] = ".index", temp[] = ".tmp";
	size_t n = id_span(name);
	const char *p = name + n;

	if (!n || *p++ != '-')
		return false;
	n = strspn(p, "0123456789");
	if (!n || strncmp(p + n, suffix, sizeof(suffix) - 1) != 0)
		return false;
	p += n + sizeof(suffix) - 1;
	*temporary = *p == '.';
	if (!*p)
		return true;
	n = strlen(p);
	return *temporary && n > sizeof(temp) && strcmp(p + n - (sizeof(temp) - 1), temp) == 0;
}
