/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lookups in a code map, which may come from a damaged file. */
#include "code_map.h"

static bool trusted(const struct code_map *map, const void *p, size_t len)
{
	return !map->trust || map->trust(map->trust_ctx, p, len);
}

/* NULL = there is none. False where it can't be believed: its NUL may be far away. */
static bool string_at(const struct code_map *map, uint64_t offset, const char **string)
{
	const char *p;

	*string = NULL;
	if (!offset || offset >= map->strings_len)
		return true;
	*string = p = map->strings + offset;
	while (map->trust) {
		size_t n = map->trust(map->trust_ctx, p, 1);

		if (!n)
			return false;
		if (memchr(p, '\0', n))
			break;
		p += n;
	}
	return true;
}

static bool file_at(const struct code_map *map, uint64_t file, const char **path)
{
	return string_at(map, file * 4, path);
}

/* Without a jump, which would be guessed wrongly half of the time. */
static size_t search_marks(const uint32_t *marks, size_t n, uint32_t start)
{
	const uint32_t *low = marks;

	while (n > 1) {
		size_t half = n / 2;

		low += low[half] <= start ? half : 0;
		n -= half;
	}
	return (size_t)(low - marks);
}

/* The last segment that starts at or before an address. */
static const struct code_segment *find_segment(const struct code_map *map, uint32_t start)
{
	const struct code_segment *low = map->segments;
	size_t n = map->nsegments;

	if (n && map->marks) {
		size_t skip = search_marks(map->marks, (n - 1) / CODE_MARK + 1, start) * CODE_MARK;

		low += skip;
		n = n - skip < CODE_MARK ? n - skip : CODE_MARK;
	}
	if (!n || !trusted(map, low, n * sizeof(*low)) || start < low->start)
		return NULL;
	while (n > 1) {
		size_t half = n / 2;

		low += low[half].start <= start ? half : 0;
		n -= half;
	}
	return low;
}

size_t sm_code_map_find(
	const struct code_map *map, uint64_t addr, struct sm_line *lines, size_t max)
{
	const struct code_segment *segment;
	const char *name, *file;
	uint32_t scope, line;
	size_t n = 0;

	if (addr < map->base || addr - map->base > UINT32_MAX)
		return 0;
	segment = find_segment(map, (uint32_t)(addr - map->base));
	if (!segment || !file_at(map, segment->file, &file))
		return 0;
	scope = segment->scope;
	line = segment->line;
	if (scope >= map->nscopes) {
		if (!file || !max)
			return 0;
		lines[0] = (struct sm_line){NULL, file, line};
		return 1;
	}
	while (n < max) {
		const struct code_scope *s = &map->scopes[scope];

		/* A part of the chain would be another answer. */
		if (!trusted(map, s, sizeof(*s)) || !string_at(map, s->name, &name))
			return 0;
		lines[n++] = (struct sm_line){name, file, line};
		if (s->parent >= scope)
			break;
		if (!file_at(map, s->file, &file))
			return 0;
		line = s->line;
		scope = s->parent;
	}
	return n;
}
